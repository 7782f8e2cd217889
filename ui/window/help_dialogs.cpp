// SPDX-License-Identifier: MIT
#include "ui/window/help_dialogs.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QDialogButtonBox>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QTreeWidget>
#include <QVBoxLayout>

#include "core/image/image_io.h"
#include "core/image/library_version.h"
#include "core/record/environment.h"
#include "core/support/package.h"
#include "ui/session/session.h"
#include "ui/support/text.h"
#include "ui/widgets/icons.h"
#include "ui/widgets/layouts.h"
#include "ui/widgets/theme.h"

namespace workbench {
namespace {

template <class T>
QString factText(const Fact<T>& fact) {
    if (!fact.value) return AboutDialog::tr("not known: %1").arg(toText(fact.reason));
    if constexpr (std::is_same_v<T, std::string>) {
        return toText(*fact.value);
    } else if constexpr (std::is_same_v<T, bool>) {
        return *fact.value ? AboutDialog::tr("yes") : AboutDialog::tr("no");
    } else {
        return QString::number(*fact.value);
    }
}

QString withoutMnemonic(QString text) {
    return text.remove(QLatin1Char('&'));
}

// What this installation reads: another package may come with another OpenImageIO.
QString formatsText() {
    const auto formats = image_formats();
    if (!formats) return AboutDialog::tr("not known: %1").arg(toText(formats.error().message));
    QStringList names;
    for (const FormatAbility& format : *formats) {
        if (format.reads) names << toText(format.name);
    }
    return names.join(QLatin1Char(' '));
}

// What asks nobody else, then what an environment capture found.
QString diagnosticsText(const Environment& e, const QString& device) {
    QStringList lines{
        QStringLiteral("IIR2D Workbench %1").arg(toText(e.version)),
        QStringLiteral("Build: %1").arg(toText(e.build_fingerprint)),
        toSentence(package_line(e.version)),
        QStringLiteral("Commit: %1, changed since: %2").arg(factText(e.commit), factText(e.dirty)),
        QStringLiteral("Compiler: %1, %2").arg(toText(e.compiler), toText(e.build_type)),
        QStringLiteral("Library: %1").arg(factText(e.library_path)),
        QStringLiteral("Library SHA-256: %1").arg(factText(e.library_sha256)),
        QStringLiteral("Qt: %1 (built with %2), platform %3")
            .arg(QString::fromLatin1(qVersion()), QStringLiteral(QT_VERSION_STR),
                 QGuiApplication::platformName()),
        QStringLiteral("OpenImageIO: %1").arg(toText(image_library_version())),
        QStringLiteral("Formats that are read: %1").arg(formatsText()),
        QStringLiteral("System: %1, %2").arg(toText(e.os), toText(e.kernel)),
        QStringLiteral("CPU: %1, %2 logical cores").arg(factText(e.cpu_model)).arg(e.logical_cores),
        QStringLiteral("Device: %1").arg(device)};
    for (const iir2d::DeviceInfo& gpu : e.gpus) {
        lines << QStringLiteral("GPU: %1 (%2)").arg(toText(gpu.name), toText(gpu.id));
    }
    if (e.gpus.empty()) lines << QStringLiteral("GPU: none: %1").arg(toText(e.gpu_reason));
    return lines.join(QLatin1Char('\n'));
}

}  // namespace

ShortcutsDialog::ShortcutsDialog(const ActionGroups& actions, const QList<Key>& keys, QWidget* parent)
    : QDialog(parent) {
    setWindowTitle(tr("Keyboard shortcuts"));
    setObjectName(QStringLiteral("shortcutsDialog"));
    auto* layout = new QVBoxLayout(this);
    layout->setSpacing(normalSpacing);
    auto* search = new QLineEdit(this);
    search->setPlaceholderText(tr("Find an action or a key"));
    search->setAccessibleName(tr("Find an action or a key"));
    search->setClearButtonEnabled(true);
    layout->addWidget(search);
    auto* tree = new QTreeWidget(this);
    tree->setAccessibleName(tr("Shortcuts by menu"));
    tree->setColumnCount(2);
    tree->setHeaderLabels({tr("Action"), tr("Keys")});
    tree->setAlternatingRowColors(true);
    tree->setRootIsDecorated(false);
    tree->header()->setSectionResizeMode(0, QHeaderView::Stretch);
    tree->header()->setSectionResizeMode(1, QHeaderView::ResizeToContents);
    tree->header()->setStretchLastSection(false);
    layout->addWidget(tree, 1);

    QHash<QString, QTreeWidgetItem*> groups;
    const auto add = [&](const QString& group, const QString& what, const QString& pressed) {
        QTreeWidgetItem*& top = groups[group];
        if (!top) {
            top = new QTreeWidgetItem(tree, {group});
            QFont strong = tree->font();
            strong.setBold(true);
            top->setFont(0, strong);
            top->setFlags(Qt::ItemIsEnabled);
            top->setExpanded(true);
        }
        new QTreeWidgetItem(top, {what, pressed});
    };
    for (const auto& [group, members] : actions) {
        for (const QAction* action : members) {
            QStringList pressed;
            for (const QKeySequence& shortcut : action->shortcuts()) {
                pressed << shortcut.toString(QKeySequence::NativeText);
            }
            pressed.removeDuplicates();
            if (!pressed.isEmpty()) add(group, withoutMnemonic(action->text()), pressed.join(tr(" or ")));
        }
    }
    for (const Key& key : keys) add(key.group, key.what, key.keys);

    connect(search, &QLineEdit::textChanged, tree, [tree](const QString& wanted) {
        for (int i = 0; i < tree->topLevelItemCount(); ++i) {
            QTreeWidgetItem* group = tree->topLevelItem(i);
            bool any = false;
            for (int j = 0; j < group->childCount(); ++j) {
                QTreeWidgetItem* item = group->child(j);
                const bool fits = item->text(0).contains(wanted, Qt::CaseInsensitive) ||
                                  item->text(1).contains(wanted, Qt::CaseInsensitive);
                item->setHidden(!fits);
                any = any || fits;
            }
            group->setHidden(!any);
        }
    });
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    layout->addWidget(buttons);
    resize(520, 620);
}

AboutDialog::AboutDialog(const Session& session, QWidget* parent)
    : QDialog(parent), m_text(new QPlainTextEdit(this)) {
    setWindowTitle(tr("About IIR2D Workbench"));
    setObjectName(QStringLiteral("aboutDialog"));
    auto* layout = new QVBoxLayout(this);
    layout->setSpacing(normalSpacing);

    auto* head = makeRow(nullptr, 2 * normalSpacing);
    auto* icon = new QLabel(this);
    icon->setPixmap(applicationIcon().pixmap(QSize(56, 56), devicePixelRatioF()));
    head->addWidget(icon);
    auto* words = new QVBoxLayout;
    auto* name = new QLabel(tr("IIR2D Workbench"), this);
    QFont large = name->font();
    large.setPointSizeF(large.pointSizeF() * 1.5);
    large.setBold(true);
    name->setFont(large);
    words->addWidget(name);
    auto* what = new QLabel(tr("Recursive filters and pooling on images, with evidence. MIT licence; this "
                               "program links Qt Charts and is distributed under GPL 3."),
                            this);
    what->setWordWrap(true);
    words->addWidget(what);
    head->addLayout(words, 1);
    layout->addLayout(head);

    m_text->setReadOnly(true);
    m_text->setAccessibleName(tr("Diagnostics"));
    m_text->setLineWrapMode(QPlainTextEdit::WidgetWidth);
    m_text->setPlainText(tr("Gathering…"));
    layout->addWidget(m_text, 1);

    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
    auto* copy = buttons->addButton(tr("Copy diagnostics"), QDialogButtonBox::ActionRole);
    copy->setIcon(themedIcon(QStringLiteral("copy")));
    copy->setEnabled(false);
    connect(copy, &QPushButton::clicked, this,
            [this] { QApplication::clipboard()->setText(m_text->toPlainText()); });
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    layout->addWidget(buttons);
    resize(620, 420);

    const iir2d::DeviceChoice& choice = session.device();
    const QString device =
        QStringLiteral("%1 (%2). %3")
            .arg(toText(choice.device.name()), toText(choice.device.id()), toSentence(choice.reason));
    m_gatherer.start(
        {},
        [device, threads = choice.device.threads()](const TaskControl&) -> Result<QString> {
            return diagnosticsText(capture_environment(threads), device);
        },
        [this, copy](const Result<QString>& text) {
            m_text->setPlainText(text ? *text : toSentence(text.error().message));
            copy->setEnabled(text.has_value());
            m_complete = true;
        });
}

}  // namespace workbench
