// SPDX-License-Identifier: MIT
#include "ui/widgets/path_field.h"

#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QLineEdit>
#include <QToolButton>

#include "ui/widgets/form_parts.h"
#include "ui/widgets/layouts.h"
#include "ui/widgets/theme.h"

namespace workbench {

PathField::PathField(const QString& name, const QString& title, What what, QWidget* parent)
    : QWidget(parent),
      m_title(title),
      m_what(what),
      m_edit(new QLineEdit(this)),
      m_button(iconButton(QStringLiteral("open"), title, this)) {
    auto* layout = makeRow(this, smallSpacing);
    layout->addWidget(m_edit, 1);
    layout->addWidget(m_button);
    m_edit->setAccessibleName(name);
    m_button->setFocusPolicy(Qt::StrongFocus);
    setFocusProxy(m_edit);
    connect(m_edit, &QLineEdit::textChanged, this, &PathField::changed);
    connect(m_button, &QToolButton::clicked, this, &PathField::choose);
}

void PathField::setWhat(What what) {
    m_what = what;
}

QString PathField::text() const {
    return m_edit->text().trimmed();
}

void PathField::setText(const QString& text) {
    m_edit->setText(QDir::toNativeSeparators(text));
}

void PathField::choose() {
    const QString from = text().isEmpty() ? QDir::homePath() : QFileInfo(text()).absolutePath();
    const QString path = m_what == What::folder ? QFileDialog::getExistingDirectory(this, m_title, from)
                                                : QFileDialog::getOpenFileName(this, m_title, from);
    if (!path.isEmpty()) setText(path);
}

}  // namespace workbench
