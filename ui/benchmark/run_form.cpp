// SPDX-License-Identifier: MIT
#include "ui/benchmark/run_form.h"

#include <QComboBox>
#include <QGridLayout>
#include <QLabel>
#include <QSignalBlocker>
#include <QStandardItemModel>
#include <QThread>
#include <algorithm>

#include "ui/session/session.h"
#include "ui/support/text.h"
#include "ui/widgets/form_parts.h"
#include "ui/widgets/layouts.h"
#include "ui/widgets/number_field.h"
#include "ui/widgets/theme.h"

namespace workbench {
namespace {

constexpr int mostIterations = 100'000;

}  // namespace

RunForm::RunForm(Session& session, QWidget* parent)
    : QWidget(parent),
      m_session(session),
      m_device(new QComboBox(this)),
      m_deviceText(new ToneLabel(ToneLabel::Tone::muted, this)),
      m_threads(new CountBox(0, this)),
      m_warmup(new CountBox(0, this)),
      m_iterations(new CountBox(1, this)) {
    auto* layout = makeColumn(this, smallSpacing);
    auto* grid = new QGridLayout;
    grid->setHorizontalSpacing(normalSpacing);
    grid->setVerticalSpacing(smallSpacing);
    grid->setColumnStretch(1, 1);
    int row = 0;
    const auto add = [&](const QString& text, QWidget* widget, const QString& spoken, const QString& help,
                         bool wide) {
        auto* label = new QLabel(text, this);
        label->setBuddy(widget);
        label->setToolTip(help);
        widget->setToolTip(help);
        widget->setAccessibleName(spoken);
        grid->addWidget(label, row, 0);
        grid->addWidget(widget, row, 1, wide ? Qt::Alignment() : Qt::AlignLeft);
        ++row;
    };
    m_device->setObjectName(QStringLiteral("deviceBox"));
    m_device->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_device->setMinimumContentsLength(12);
    guardWheel(m_device);
    addDevice(QStringLiteral("auto"), tr("Automatic"), {});
    addDevice(QStringLiteral("cpu"), tr("CPU"), {});
    add(tr("&Device"), m_device, tr("Device"), tr("What computes"), true);

    m_threads->setMaximum(std::max(1, QThread::idealThreadCount()));
    m_threads->setSpecialValueText(tr("all"));
    add(tr("&Threads"), m_threads, tr("Threads of the CPU"),
        tr("Threads of the CPU; 0 is all %1").arg(QThread::idealThreadCount()), false);
    m_warmup->setMaximum(mostIterations);
    add(tr("War&m-up"), m_warmup, tr("Warm-up iterations"), tr("Iterations before the timed ones, not kept"),
        false);
    m_iterations->setMaximum(mostIterations);
    add(tr("Iteratio&ns"), m_iterations, tr("Timed iterations"),
        tr("Timed iterations of each case; every sample is kept"), false);
    layout->addLayout(grid);
    layout->addWidget(m_deviceText);
    connect(m_device, &QComboBox::currentIndexChanged, this, &RunForm::changed);
    for (const CountBox* box : {m_threads, m_warmup, m_iterations})
        connect(box, &QSpinBox::valueChanged, this, &RunForm::changed);
    connect(&session, &Session::devicesChanged, this, &RunForm::showDevices);
    showDevices();
}

void RunForm::addDevice(const QString& id, const QString& text, const QString& whyNot) {
    int row = m_device->findData(id);
    if (row < 0) {
        row = m_device->count();
        m_device->addItem(text, id);
    } else {
        m_device->setItemText(row, text);
    }
    m_device->setItemData(row, whyNot, Qt::ToolTipRole);
    if (auto* model = qobject_cast<QStandardItemModel*>(m_device->model()))
        model->item(row)->setEnabled(whyNot.isEmpty());
}

void RunForm::showDevices() {
    const QSignalBlocker quiet(m_device);
    for (const iir2d::DeviceInfo& device : m_session.devices()) {
        const QString name = device.name.empty() ? toText(device.id) : toText(device.name);
        addDevice(toText(device.id),
                  device.usable ? tr("%1: %2").arg(toText(device.id), name)
                                : tr("%1: not usable").arg(toText(device.id)),
                  device.usable ? QString() : toText(device.why_not));
    }
}

void RunForm::fill(MatrixChoices& choices) const {
    choices.device = m_device->currentData().toString();
    choices.threads = m_threads->value();
    choices.warmup = m_warmup->value();
    choices.iterations = m_iterations->value();
}

void RunForm::setChoices(const MatrixChoices& choices) {
    if (m_device->findData(choices.device) < 0) addDevice(choices.device, choices.device, {});
    m_device->setCurrentIndex(m_device->findData(choices.device));
    m_threads->setValue(choices.threads);
    m_warmup->setValue(choices.warmup);
    m_iterations->setValue(choices.iterations);
}

void RunForm::showContext() {
    const QString spec = m_device->currentData().toString();
    const iir2d::DeviceChoice& device = m_session.device();
    m_deviceText->setText(spec == m_session.deviceSpec()
                              ? toText(device.device.name()) + QStringLiteral(": ") + toText(device.reason)
                              : QString());
    m_deviceText->setVisible(!m_deviceText->text().isEmpty());
    m_threads->setEnabled(!spec.startsWith(QLatin1String("cuda")));
}

void RunForm::focusDevice() {
    m_device->setFocus();
}

void RunForm::focusIterations() {
    m_iterations->setFocus();
}

}  // namespace workbench
