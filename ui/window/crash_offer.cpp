// SPDX-License-Identifier: MIT
#include "ui/window/crash_offer.h"

#include <QApplication>
#include <QClipboard>
#include <QDialogButtonBox>
#include <QFontDatabase>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QVBoxLayout>

#include "core/support/crash_report.h"
#include "core/support/files.h"
#include "ui/session/saved_state.h"
#include "ui/support/paths.h"
#include "ui/support/text.h"
#include "ui/widgets/form_parts.h"
#include "ui/widgets/icons.h"
#include "ui/widgets/message_bar.h"
#include "ui/widgets/theme.h"
#include "ui/window/main_window.h"

namespace workbench {
namespace {

constexpr std::size_t mostReportBytes = std::size_t{1} << 20;

QString textOf(const std::filesystem::path& report) {
    const auto text = read_file(report, mostReportBytes);
    return toText(text ? *text : text.error().message);
}

void removeAll(const std::vector<std::filesystem::path>& reports) {
    std::error_code error;
    for (const auto& report : reports) std::filesystem::remove(report, error);
}

}  // namespace

std::filesystem::path crashReportFolder() {
    std::error_code error;
    return std::filesystem::absolute(stateDirectory() / "log", error);
}

void offerCrashReports(MainWindow& window, const std::filesystem::path& folder) {
    const auto reports = claim_crash_reports(folder);
    if (reports.empty()) return;
    auto* area = new MessageArea(&window);
    area->setObjectName(QStringLiteral("crashOffer"));
    const auto& newest = reports.front();
    area->show(QStringLiteral("crash"), MessageArea::Severity::warning,
               MainWindow::tr("The window crashed, %n report(s) in %1. Nothing was sent.", nullptr,
                              int(reports.size()))
                   .arg(fromPath(folder)),
               {{MainWindow::tr("Show the report"),
                 [&window, newest] {
                     auto* dialog = new CrashReportDialog(newest, &window);
                     dialog->setAttribute(Qt::WA_DeleteOnClose);
                     dialog->show();
                 }},
                {MainWindow::tr("Copy it"), [newest] { QApplication::clipboard()->setText(textOf(newest)); }},
                {MainWindow::tr("Delete"), [reports] { removeAll(reports); }}});
    window.setOffer(area);
}

CrashReportDialog::CrashReportDialog(const std::filesystem::path& report, QWidget* parent) : QDialog(parent) {
    setWindowTitle(tr("Report of a crash"));
    setObjectName(QStringLiteral("crashReportDialog"));
    auto* layout = new QVBoxLayout(this);
    layout->setSpacing(normalSpacing);
    auto* where = new ToneLabel(ToneLabel::Tone::muted, this);
    where->setText(tr("%1. It has no image data and is sent nowhere.").arg(fromPath(report)));
    where->setTextInteractionFlags(Qt::TextSelectableByMouse);
    layout->addWidget(where);
    auto* text = new QPlainTextEdit(textOf(report), this);
    text->setReadOnly(true);
    text->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
    text->setAccessibleName(tr("Report of a crash"));
    text->setLineWrapMode(QPlainTextEdit::NoWrap);
    layout->addWidget(text, 1);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
    auto* copy = buttons->addButton(tr("Copy"), QDialogButtonBox::ActionRole);
    copy->setIcon(themedIcon(QStringLiteral("copy")));
    connect(copy, &QPushButton::clicked, text,
            [text] { QApplication::clipboard()->setText(text->toPlainText()); });
    auto* remove = buttons->addButton(tr("Delete"), QDialogButtonBox::DestructiveRole);
    connect(remove, &QPushButton::clicked, this, [this, report] {
        removeAll({report});
        accept();
    });
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    remove->setAutoDefault(false);  // Enter must not delete
    buttons->button(QDialogButtonBox::Close)->setDefault(true);
    text->setFocus();
    layout->addWidget(buttons);
    resize(760, 560);
}

}  // namespace workbench
