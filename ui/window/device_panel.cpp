// SPDX-License-Identifier: MIT
#include "ui/window/device_panel.h"

#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QFormLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QTreeWidget>

#include "core/support/devices.h"
#include "ui/picture/pixel_text.h"
#include "ui/session/session.h"
#include "ui/support/text.h"
#include "ui/widgets/icons.h"
#include "ui/widgets/layouts.h"
#include "ui/widgets/number_field.h"
#include "ui/widgets/theme.h"

namespace workbench {
namespace {

QString valueText(const iir2d::DeviceProperty& property) {
    if (!property.value) return DevicePanel::tr("not known: %1").arg(toText(property.reason));
    return property.unit.empty() ? toText(*property.value)
                                 : toText(*property.value) + QLatin1Char(' ') + toText(property.unit);
}

QString stateText(const iir2d::DeviceInfo& device) {
    return device.usable ? DevicePanel::tr("usable")
                         : DevicePanel::tr("not usable: %1").arg(toText(device.why_not));
}

// A row that stands for what is not there, as "cuda" without a driver, has no name.
QString headingText(const iir2d::DeviceInfo& device) {
    return device.name.empty() ? toText(device.id)
                               : QStringLiteral("%1: %2").arg(toText(device.id), toText(device.name));
}

}  // namespace

QString deviceBadgeText(const iir2d::Device& device) {
    if (device.backend() != iir2d::Backend::cpu) return QString::fromStdString(device.name());
    return DevicePanel::tr("CPU · %n thread(s)", nullptr, device.threads());
}

DevicePanel::DevicePanel(Session& session, QWidget* parent)
    : QWidget(parent),
      m_session(session),
      m_name(new QLabel(this)),
      m_reason(new QLabel(this)),
      m_run(new QLabel(this)),
      m_choice(new QComboBox(this)),
      m_threads(new CountBox(0, this)),
      m_tree(new QTreeWidget(this)),
      m_refresh(new QPushButton(themedIcon(QStringLiteral("refresh")), tr("Refresh"), this)) {
    setObjectName(QStringLiteral("devicePanel"));
    auto* layout =
        makeColumn(this, normalSpacing, {normalSpacing, normalSpacing, normalSpacing, normalSpacing});

    QFont strong = m_name->font();
    strong.setBold(true);
    m_name->setFont(strong);
    m_name->setTextFormat(Qt::PlainText);
    m_name->setWordWrap(true);
    m_reason->setTextFormat(Qt::PlainText);
    m_reason->setWordWrap(true);
    m_reason->setForegroundRole(QPalette::PlaceholderText);
    layout->addWidget(m_name);
    layout->addWidget(m_reason);

    auto* form = new QFormLayout;
    form->setSpacing(normalSpacing);
    form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    m_choice->setAccessibleName(tr("Device to compute on"));
    m_choice->setToolTip(tr("Which device computes. Automatic takes the first usable GPU, else the CPU."));
    m_choice->addItem(tr("Automatic"), QStringLiteral("auto"));
    m_choice->addItem(tr("CPU"), QStringLiteral("cpu"));
    m_threads->setMaximum(1024);
    m_threads->setSpecialValueText(tr("all"));
    m_threads->setAccessibleName(tr("Number of CPU threads"));
    m_threads->setToolTip(tr("How many threads the CPU may use. The result does not depend on it."));
    m_threads->setValue(session.threads());
    auto* deviceLabel = new QLabel(tr("Device"), this);
    deviceLabel->setBuddy(m_choice);
    auto* threadsLabel = new QLabel(tr("Threads"), this);
    threadsLabel->setBuddy(m_threads);
    form->addRow(deviceLabel, m_choice);
    form->addRow(threadsLabel, m_threads);
    layout->addLayout(form);

    m_run->setObjectName(QStringLiteral("lastRun"));
    m_run->setTextFormat(Qt::PlainText);
    m_run->setWordWrap(true);
    m_run->setFont(tabularFont());
    m_run->setToolTip(tr(
        "Where the time of the result that is shown went on the GPU, by its own clock. Only the computation "
        "is the kernels' time."));
    layout->addWidget(m_run);

    m_tree->setColumnCount(2);
    m_tree->setHeaderLabels({tr("Property"), tr("Value")});
    m_tree->setAccessibleName(tr("Properties of all devices"));
    m_tree->setAlternatingRowColors(true);
    m_tree->setUniformRowHeights(true);
    m_tree->setSelectionMode(QAbstractItemView::ExtendedSelection);
    m_tree->header()->setSectionResizeMode(0, QHeaderView::ResizeToContents);
    m_tree->header()->setStretchLastSection(true);
    m_tree->setMinimumHeight(80);
    layout->addWidget(m_tree, 1);

    auto* buttons = new QHBoxLayout;
    auto* copyButton = new QPushButton(themedIcon(QStringLiteral("copy")), tr("Copy all"), this);
    copyButton->setAccessibleName(tr("Copy the properties of all devices"));
    m_refresh->setAccessibleName(tr("Look for devices again"));
    buttons->addWidget(copyButton);
    buttons->addWidget(m_refresh);
    buttons->addStretch();
    layout->addLayout(buttons);

    connect(copyButton, &QPushButton::clicked, this, &DevicePanel::copy);
    connect(m_refresh, &QPushButton::clicked, this, &DevicePanel::refresh);
    connect(m_choice, &QComboBox::activated, this,
            [this] { m_session.setDeviceSpec(m_choice->currentData().toString()); });
    connect(m_threads, &QSpinBox::valueChanged, this, [this](int count) { m_session.setThreads(count); });
    connect(&session, &Session::deviceChanged, this, &DevicePanel::showChoice);
    connect(&session, &Session::frameChanged, this, &DevicePanel::showRun);
    showChoice();
    connect(&session, &Session::devicesChanged, this, &DevicePanel::showDevices);
    showRun();
    showDevices();
}

void DevicePanel::refresh() {
    m_session.refreshDevices();
    m_refresh->setEnabled(false);
}

void DevicePanel::showChoice() {
    const iir2d::DeviceChoice& choice = m_session.device();
    m_name->setText(toText(choice.device.name()));
    m_reason->setText(toSentence(choice.reason));
    int index = m_choice->findData(m_session.deviceSpec());
    if (index < 0) {  // a settings file or the command line may name what is not in the list
        m_choice->addItem(m_session.deviceSpec(), m_session.deviceSpec());
        index = m_choice->count() - 1;
    }
    m_choice->setCurrentIndex(index);
    const QSignalBlocker blocker(m_threads);
    m_threads->setValue(m_session.threads());
}

void DevicePanel::showRun() {
    const auto& frame = m_session.frame();
    const bool onGpu = frame && frame->gpu_time;
    m_run->setVisible(onGpu);
    QString run;
    if (onGpu) {
        run = frame->quality == PreviewQuality::exact ? tr("Last run, exact result") : tr("Last run, proxy");
        for (const auto& [label, value] : runParts(*frame->gpu_time))
            run += QLatin1Char('\n') + tr("%1: %2").arg(label, value);
    }
    m_run->setText(run);
}

void DevicePanel::showDevices() {
    m_refresh->setEnabled(!m_session.isListingDevices());
    m_tree->clear();
    for (const iir2d::DeviceInfo& device : m_session.devices()) {
        auto* top = new QTreeWidgetItem(m_tree, {toText(device.id), toText(device.name)});
        QFont strong = m_tree->font();
        strong.setBold(true);
        top->setFont(0, strong);
        top->setToolTip(1, toText(device.name));
        auto* state = new QTreeWidgetItem(top, {tr("State"), stateText(device)});
        state->setToolTip(1, stateText(device));
        for (const iir2d::DeviceProperty& property : device.properties) {
            auto* item = new QTreeWidgetItem(top, {toText(property.label), valueText(property)});
            item->setToolTip(0, toText(property.key));
            item->setToolTip(1, valueText(property));
            if (!property.value) item->setForeground(1, themeColours().muted);
        }
        top->setExpanded(true);
        if (device.usable && device.backend != iir2d::Backend::cpu &&
            m_choice->findData(toText(device.id)) < 0) {
            m_choice->addItem(QStringLiteral("%1 (%2)").arg(toText(device.name), toText(device.id)),
                              toText(device.id));
        }
    }
    showChoice();
}

QString DevicePanel::text() const {
    QString all;
    if (!m_run->text().isEmpty()) all = m_run->text() + QLatin1Char('\n');
    for (const iir2d::DeviceInfo& device : m_session.devices()) {
        all += headingText(device) + QLatin1Char('\n');
        all += QStringLiteral("  %1\n").arg(stateText(device));
        for (const iir2d::DeviceProperty& property : device.properties) {
            all += QStringLiteral("  %1: %2\n").arg(toText(property.label), valueText(property));
        }
    }
    return all;
}

void DevicePanel::copy() {
    const iir2d::DeviceChoice& choice = m_session.device();
    QApplication::clipboard()->setText(
        tr("Computing on %1 (%2). %3")
            .arg(toText(choice.device.name()), toText(choice.device.id()), toSentence(choice.reason)) +
        QLatin1Char('\n') + text());
}

}  // namespace workbench
