// SPDX-License-Identifier: MIT
#include "ui/solve/kernel_dialog.h"

#include <QDialogButtonBox>
#include <QFontDatabase>
#include <QLabel>
#include <QPlainTextEdit>

#include "core/solve/kernels.h"
#include "core/synth/print.h"
#include "ui/support/text.h"
#include "ui/widgets/form_parts.h"
#include "ui/widgets/layouts.h"
#include "ui/widgets/theme.h"

namespace workbench {

KernelDialog::KernelDialog(const QString& name, QWidget* parent) : QDialog(parent) {
    setObjectName(QStringLiteral("kernelDialog"));
    setWindowTitle(name);
    auto* column =
        makeColumn(this, normalSpacing, {normalSpacing, normalSpacing, normalSpacing, normalSpacing});
    auto* subject = new ToneLabel(ToneLabel::Tone::normal, this);
    auto* source = new QPlainTextEdit(this);
    source->setReadOnly(true);
    source->setLineWrapMode(QPlainTextEdit::NoWrap);
    source->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
    source->setTabChangesFocus(true);
    source->setAccessibleName(tr("CUDA source of %1").arg(name));
    const std::string bare = name.section(QLatin1Char('/'), -1).toStdString();
    if (const auto kernel = solve::find_kernel(bare)) {
        subject->setText(toSentence((*kernel)->subject));
        std::string text = synth::print_cuda(solve::tree_of(bare));
        text += (*kernel)->no_backward.empty() ? "\n" + synth::print_cuda(solve::tree_of(bare + "_backward"))
                                               : "\n// No adjoint: " + (*kernel)->no_backward + "\n";
        source->setPlainText(toText(text));
    } else {
        subject->setText(toSentence(kernel.error().message));
    }
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    column->addWidget(subject);
    column->addWidget(source, 1);
    column->addWidget(buttons);
    resize(680, 480);
}

}  // namespace workbench
