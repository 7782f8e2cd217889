// SPDX-License-Identifier: MIT
#include "ui/widgets/path_field.h"

#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QLineEdit>
#include <QMenu>
#include <QToolButton>
#include <utility>

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
    connect(m_button, &QToolButton::clicked, this, [this] {
        if (m_button->menu()) return;
        if (m_what == What::folder) {
            chooseFolder();
        } else {
            chooseFile();
        }
    });
    makeMenu();
}

void PathField::setWhat(What what) {
    m_what = what;
    makeMenu();
}

void PathField::setRecent(const QStringList& paths) {
    m_recent = paths;
    makeMenu();
}

// Where one press cannot say what is meant.
void PathField::makeMenu() {
    delete m_button->menu();
    if (m_what != What::either && m_recent.isEmpty()) return;
    auto* menu = new QMenu(m_button);
    if (m_what != What::folder) menu->addAction(tr("Choose a &file…"), this, &PathField::chooseFile);
    if (m_what != What::file) menu->addAction(tr("Choose a f&older…"), this, &PathField::chooseFolder);
    if (!m_recent.isEmpty()) menu->addSection(tr("Before"));
    for (const QString& path : std::as_const(m_recent)) {
        // A path is no mnemonic.
        const QString shown = QDir::toNativeSeparators(path).replace(QLatin1Char('&'), QStringLiteral("&&"));
        connect(menu->addAction(shown), &QAction::triggered, this, [this, path] { setText(path); });
    }
    m_button->setMenu(menu);
    m_button->setPopupMode(QToolButton::InstantPopup);
}

QString PathField::text() const {
    return m_edit->text().trimmed();
}

void PathField::setText(const QString& text) {
    m_edit->setText(QDir::toNativeSeparators(text));
}

QString PathField::startFolder() const {
    if (text().isEmpty()) return QDir::homePath();
    const QFileInfo file(text());
    return file.isDir() ? file.absoluteFilePath() : file.absolutePath();
}

void PathField::chooseFile() {
    take(QFileDialog::getOpenFileName(this, m_title, startFolder()));
}

void PathField::chooseFolder() {
    take(QFileDialog::getExistingDirectory(this, m_title, startFolder()));
}

void PathField::take(const QString& path) {
    if (!path.isEmpty()) setText(path);
}

}  // namespace workbench
