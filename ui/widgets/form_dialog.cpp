// SPDX-License-Identifier: MIT
#include "ui/widgets/form_dialog.h"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QLineEdit>
#include <QPushButton>
#include <QVBoxLayout>

#include "ui/widgets/form_parts.h"
#include "ui/widgets/job_bar.h"
#include "ui/widgets/layouts.h"
#include "ui/widgets/message_bar.h"
#include "ui/widgets/theme.h"

namespace workbench {
namespace {

const auto refusalSubject = QStringLiteral("refusal");

}  // namespace

FormDialog::FormDialog(const QString& title, const QString& help, const QString& confirm, QWidget* parent)
    : QDialog(parent),
      m_body(new QWidget(this)),
      m_messages(new MessageArea(this)),
      m_bar(new JobBar(this)),
      m_buttons(new QDialogButtonBox(QDialogButtonBox::Cancel, this)) {
    setWindowTitle(title);
    setModal(true);
    setAttribute(Qt::WA_DeleteOnClose);
    auto* layout = new QVBoxLayout(this);
    layout->setSpacing(normalSpacing);
    auto* text = new ToneLabel(ToneLabel::Tone::muted, this);
    text->setText(help);
    layout->addWidget(text);
    layout->addWidget(m_messages);
    auto* bodyLayout = makeColumn(m_body, normalSpacing);
    m_form = new QFormLayout;
    m_form->setHorizontalSpacing(normalSpacing);
    m_form->setVerticalSpacing(normalSpacing);
    m_form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    bodyLayout->addLayout(m_form);
    layout->addWidget(m_body, 1);
    layout->addWidget(m_bar);
    QPushButton* done = m_buttons->addButton(confirm, QDialogButtonBox::AcceptRole);
    done->setObjectName(QStringLiteral("confirmButton"));
    done->setDefault(true);
    done->setAccessibleName(confirm);
    m_buttons->button(QDialogButtonBox::Cancel)->setAccessibleName(tr("Cancel"));
    layout->addWidget(m_buttons);
    connect(m_buttons, &QDialogButtonBox::accepted, this, &FormDialog::submitted);
    connect(m_buttons, &QDialogButtonBox::rejected, this, &FormDialog::reject);
    connect(m_bar, &JobBar::cancelRequested, this, &FormDialog::cancelRequested);
}

void FormDialog::setBusy(bool busy) {
    m_busy = busy;
    m_body->setEnabled(!busy);
    if (busy) m_messages->clear(refusalSubject);
    check();
}

void FormDialog::setRefusal(const QString& why) {
    m_messages->show(refusalSubject, MessageArea::Severity::error, why);
}

void FormDialog::reject() {
    if (m_busy) {
        Q_EMIT cancelRequested();
        return;
    }
    QDialog::reject();
}

QLineEdit* FormDialog::lineEdit(const QString& name, const QString& hint) const {
    auto* edit = new QLineEdit(m_body);
    edit->setAccessibleName(name);
    edit->setPlaceholderText(hint);
    return edit;
}

QComboBox* FormDialog::comboBox(const QString& name) const {
    auto* box = new QComboBox(m_body);
    box->setAccessibleName(name);
    guardWheel(box);
    return box;
}

bool FormDialog::isFilled(const QLineEdit* edit) {
    return !edit->text().trimmed().isEmpty();
}

std::string FormDialog::trimmed(const QLineEdit* edit) {
    return edit->text().trimmed().toStdString();
}

void FormDialog::check() {
    m_buttons->findChild<QPushButton*>(QStringLiteral("confirmButton"))->setEnabled(!m_busy && isComplete());
}

}  // namespace workbench
