// SPDX-License-Identifier: MIT
#include "ui/kernels/yours_panel.h"

#include <QApplication>
#include <QCheckBox>
#include <QClipboard>
#include <QComboBox>
#include <QFileDialog>
#include <QFileInfo>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalBlocker>

#include "ui/kernels/own_source.h"
#include "ui/support/text.h"
#include "ui/widgets/form_parts.h"
#include "ui/widgets/icons.h"
#include "ui/widgets/layouts.h"
#include "ui/widgets/theme.h"

namespace workbench {

YoursPanel::YoursPanel(OwnSource& source, QWidget* parent)
    : QWidget(parent),
      m_source(source),
      m_file(new ToneLabel(ToneLabel::Tone::muted, this)),
      m_kernel(new QComboBox(this)),
      m_target(new QComboBox(this)),
      m_backward(new QCheckBox(tr("Backward"), this)),
      m_includes(new QLineEdit(this)),
      m_definitions(new QLineEdit(this)),
      m_state(new ToneLabel(ToneLabel::Tone::muted, this)),
      m_verified(new ToneLabel(ToneLabel::Tone::muted, this)) {
    m_state->setObjectName(QStringLiteral("yourState"));
    m_kernel->setObjectName(QStringLiteral("yourKernel"));
    m_target->setObjectName(QStringLiteral("yourTarget"));
    auto* column =
        makeColumn(this, normalSpacing, {normalSpacing, normalSpacing, normalSpacing, normalSpacing});
    auto* open = new QPushButton(themedIcon(QStringLiteral("open")), tr(" Open a .cu file…"), this);
    open->setAccessibleName(tr("Open a CUDA source"));
    connect(open, &QPushButton::clicked, this, &YoursPanel::chooseFile);
    column->addWidget(open, 0, Qt::AlignLeft);
    column->addWidget(m_file);
    const auto add = [&](const QString& text, QWidget* field) {
        auto* label = new QLabel(text, this);
        label->setBuddy(field);
        field->setAccessibleName(text);
        column->addWidget(label);
        column->addWidget(field);
    };
    const auto addBox = [&](const QString& text, QComboBox* box) {
        box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
        box->setMinimumContentsLength(14);
        guardWheel(box);
        add(text, box);
    };
    addBox(tr("Kernel"), m_kernel);
    addBox(tr("Compiled to"), m_target);
    m_backward->setObjectName(QStringLiteral("yourBackward"));
    m_backward->setAccessibleName(tr("Show the backward kernel of your kernel"));
    column->addWidget(m_backward);
    m_includes->setObjectName(QStringLiteral("yourIncludes"));
    m_includes->setPlaceholderText(tr("after the file's own"));
    m_includes->setToolTip(tr("As -I of iir2d synth extract; several with ; between them"));
    add(tr("Folders of includes"), m_includes);
    m_definitions->setObjectName(QStringLiteral("yourDefinitions"));
    m_definitions->setPlaceholderText(tr("NAME; NAME=VALUE"));
    m_definitions->setToolTip(tr("As -D of iir2d synth extract; several with ; between them"));
    add(tr("Definitions"), m_definitions);
    column->addWidget(m_state);
    m_verified->setObjectName(QStringLiteral("yourVerified"));
    column->addWidget(m_verified);
    auto* copy = new QPushButton(themedIcon(QStringLiteral("copy")), tr(" Copy as command line"), this);
    copy->setObjectName(QStringLiteral("copyExtract"));
    copy->setAccessibleName(tr("Copy the compilation as command line"));
    column->addWidget(copy, 0, Qt::AlignLeft);
    column->addStretch(1);
    connect(copy, &QPushButton::clicked, this,
            [this] { QApplication::clipboard()->setText(m_source.commandLine()); });
    connect(m_kernel, &QComboBox::activated, this,
            [this](int index) { m_source.chooseKernel(m_kernel->itemData(index).toString()); });
    connect(m_target, &QComboBox::activated, this,
            [this](int index) { m_source.setTarget(m_target->itemText(index)); });
    const auto follow = [this, copy] {
        show();
        copy->setEnabled(!m_source.commandLine().isEmpty());
        copy->setToolTip(copy->isEnabled() ? QString()
                                           : tr("A command names a file: open one, and leave it as it is. It "
                                                "prints the forward kernel"));
    };
    connect(&m_source, &OwnSource::stateChanged, this, follow);
    connect(&m_source, &OwnSource::targetsChanged, this, follow);
    connect(&m_source, &OwnSource::opened, this, follow);
    connect(&m_source, &OwnSource::checkChanged, this, follow);
    connect(m_backward, &QCheckBox::clicked, &m_source, &OwnSource::setBackward);
    for (QLineEdit* field : {m_includes, m_definitions})
        connect(field, &QLineEdit::editingFinished, this, &YoursPanel::takeOptions);
    connect(&m_source, &OwnSource::optionsChanged, this, [this] {
        m_includes->setText(m_source.includeFolders().join(QStringLiteral("; ")));
        m_definitions->setText(m_source.definitions().join(QStringLiteral("; ")));
    });
    follow();
}

void YoursPanel::chooseFile() {
    const QString file = QFileDialog::getOpenFileName(
        this, tr("Open a CUDA source"), QFileInfo(m_source.file()).absolutePath(),
        tr("CUDA sources (*.cu *.cuh *.cpp *.h);;All files (*)"));
    if (!file.isEmpty()) m_source.open(file);
}

void YoursPanel::takeOptions() {
    const auto listed = [](const QLineEdit* field) {
        QStringList made;
        for (const QString& one : field->text().split(QLatin1Char(';'))) {
            if (!one.trimmed().isEmpty()) made << one.trimmed();
        }
        return made;
    };
    m_source.setOptions(listed(m_includes), listed(m_definitions));
}

void YoursPanel::showVerified() {
    const auto& check = m_source.check();
    m_backward->setEnabled(m_source.hasBackward());
    m_backward->setChecked(m_source.isBackward());
    QString text;
    const bool isWrong = check && !check->rejected.empty();
    if (m_source.isChecking())
        text = tr("Verifying…");
    else if (!m_source.checkProblem().isEmpty())
        text = tr("Not verified: %1").arg(m_source.checkProblem());
    else if (check && !check->is_inside)
        text = tr("Not verified: outside of the kernel language. Tab Levels says where.");
    else if (isWrong)
        text = tr("Not verified: %1").arg(toText(check->rejected));
    else if (check)
        text =
            tr("Inside the kernel language: verified on %n target(s)%1", nullptr, m_source.verifiedTargets())
                .arg(m_source.hasBackward() ? tr(", backward too") : QString());
    m_verified->setTone(isWrong ? ToneLabel::Tone::error : ToneLabel::Tone::muted);
    m_verified->setText(text);
    m_verified->setVisible(!text.isEmpty());
}

void YoursPanel::show() {
    showVerified();
    const QSignalBlocker quietKernel(m_kernel);
    const QSignalBlocker quietTarget(m_target);
    m_file->setText(m_source.file().isEmpty()
                        ? tr("No file: what is typed at the right stands there again at the next start.")
                        : m_source.file());
    if (m_source.compiled()) {
        m_kernel->clear();
        for (const inspect::SourceKernel& one : m_source.compiled()->kernels)
            m_kernel->addItem(toText(one.name), toText(one.symbol));
        m_kernel->setCurrentIndex(m_kernel->findData(m_source.kernel()));
    }
    if (m_target->count() != m_source.targets().size()) {
        m_target->clear();
        m_target->addItems(m_source.targets());
    }
    m_target->setCurrentText(m_source.target());
    m_kernel->setEnabled(m_kernel->count() > 0);
    m_target->setEnabled(m_target->count() > 0);
    const bool isWrong = !m_source.isCompiling() && !m_source.problem().isEmpty();
    m_state->setTone(isWrong ? ToneLabel::Tone::error : ToneLabel::Tone::muted);
    m_state->setText(m_source.isCompiling() ? tr("Compiling…")
                     : isWrong              ? m_source.problem()
                     : m_source.compiled()
                         ? tr("%n kernel(s), by %1", nullptr, int(m_source.compiled()->kernels.size()))
                               .arg(toText(m_source.compiled()->compiler))
                         : QString());
}

}  // namespace workbench
