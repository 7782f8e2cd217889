// SPDX-License-Identifier: MIT
#include "ui/benchmark/matrix_form.h"

#include <QCheckBox>
#include <QComboBox>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QRadioButton>
#include <QScopedValueRollback>
#include <QStandardItemModel>
#include <QThread>
#include <QVBoxLayout>
#include <algorithm>
#include <tuple>

#include "ui/benchmark/pool_form.h"
#include "ui/charts/figures.h"
#include "ui/session/session.h"
#include "ui/support/text.h"
#include "ui/widgets/form_parts.h"
#include "ui/widgets/theme.h"

namespace workbench {
namespace {

constexpr int customPreset = 3;  // the row after MatrixPreset's
constexpr int mostIterations = 100'000;

template <class T>
std::vector<T> checkedOf(const std::vector<std::pair<T, QCheckBox*>>& boxes) {
    std::vector<T> values;
    for (const auto& [value, box] : boxes) {
        if (box->isChecked()) values.push_back(value);
    }
    return values;
}

template <class T>
void check(const std::vector<std::pair<T, QCheckBox*>>& boxes, const std::vector<T>& values) {
    for (const auto& [value, box] : boxes) box->setChecked(std::ranges::find(values, value) != values.end());
}

QString borderHelp(iir2d::Border border) {
    switch (border) {
        case iir2d::Border::clamp:
            return MatrixForm::tr("The edge's sample goes on");
        case iir2d::Border::mirror:
            return MatrixForm::tr("The picture is mirrored at its edge");
        case iir2d::Border::wrap:
            return MatrixForm::tr("The other side follows");
        case iir2d::Border::constant:
            return MatrixForm::tr("A constant, here 0");
    }
    return {};
}

QString precisionHelp(iir2d::Precision precision) {
    switch (precision) {
        case iir2d::Precision::f32:
            return MatrixForm::tr("32-bit samples and arithmetic");
        case iir2d::Precision::mixed:
            return MatrixForm::tr("32-bit samples, 64-bit arithmetic");
        case iir2d::Precision::f64:
            return MatrixForm::tr("64-bit samples and arithmetic");
    }
    return {};
}

}  // namespace

MatrixForm::MatrixForm(Session& session, QWidget* parent) : QWidget(parent), m_session(session) {
    setObjectName(QStringLiteral("matrixForm"));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(normalSpacing + smallSpacing, normalSpacing, normalSpacing, normalSpacing);
    layout->setSpacing(smallSpacing);
    const QScopedValueRollback setting(m_setting, true);
    makePresets(layout);
    makeSource(layout);
    makeWork(layout);
    makeVariants(layout);
    makeRun(layout);
    layout->addStretch();

    MatrixChoices standard;
    standard.device = session.deviceSpec();
    standard.threads = session.threads();
    setChoices(standard);
    connect(&session, &Session::imageChanged, this, &MatrixForm::refresh);
    connect(&session, &Session::recipeChanged, this, &MatrixForm::refresh);
    m_followed = {standard.device, standard.threads};
    connect(&session, &Session::deviceChanged, this, &MatrixForm::followDevice);
    connect(&session, &Session::devicesChanged, this, &MatrixForm::showDevices);
    showDevices();
}

// The window's device is the form's too, until another is chosen here.
void MatrixForm::followDevice() {
    MatrixChoices next = choices();
    const bool follows = m_followed == std::pair(next.device, next.threads);
    m_followed = {m_session.deviceSpec(), m_session.threads()};
    if (follows) std::tie(next.device, next.threads) = m_followed;
    setChoices(next);
}

// A heading above what it is about.
QWidget* MatrixForm::makeSection(const QString& title) {
    auto* label = new QLabel(title, this);
    QFont bold = label->font();
    bold.setBold(true);
    label->setFont(bold);
    label->setContentsMargins(0, normalSpacing, 0, 0);
    return label;
}

ToneLabel* MatrixForm::addProblemLine(QVBoxLayout* layout, MatrixField field) {
    auto* line = new ToneLabel(ToneLabel::Tone::error, this);
    line->hide();
    layout->addWidget(line);
    m_problems.emplace_back(field, line);
    return line;
}

template <class T>
QCheckBox* MatrixForm::addBox(std::vector<std::pair<T, QCheckBox*>>& boxes, T value, const QString& text,
                              const QString& spoken, const QString& toolTip) {
    auto* box = new QCheckBox(text, this);
    box->setAccessibleName(spoken);
    box->setToolTip(toolTip);
    connect(box, &QCheckBox::toggled, this, &MatrixForm::refresh);
    boxes.emplace_back(value, box);
    return box;
}

void MatrixForm::makePresets(QVBoxLayout* layout) {
    auto* row = new QHBoxLayout;
    m_preset = new QComboBox(this);
    m_preset->setObjectName(QStringLiteral("presetBox"));
    m_preset->addItem(tr("Smoke"));
    m_preset->addItem(tr("Standard"));
    m_preset->addItem(tr("Full"));
    m_preset->addItem(tr("Custom"));
    m_preset->setItemData(0, tr("A few seconds: does it work?"), Qt::ToolTipRole);
    m_preset->setItemData(1, tr("Three filters, three sizes, two precisions"), Qt::ToolTipRole);
    m_preset->setItemData(2, tr("Every filter, border and precision, all pooling"), Qt::ToolTipRole);
    m_preset->setAccessibleName(tr("Preset"));
    m_preset->setToolTip(
        tr("A matrix to begin with: changes sizes, operations, borders, precisions and "
           "iterations"));
    guardWheel(m_preset);
    auto* label = new QLabel(tr("Pre&set"), this);
    label->setBuddy(m_preset);
    row->addWidget(label);
    row->addWidget(m_preset, 1);
    layout->addLayout(row);
    connect(m_preset, &QComboBox::activated, this, [this](int index) {
        if (index < customPreset) {
            setChoices(applied(static_cast<MatrixPreset>(index), choices()));
        } else {
            showPreset();  // it is what the rest says, nothing to choose
        }
    });
}

void MatrixForm::makeSource(QVBoxLayout* layout) {
    layout->addWidget(makeSection(tr("Measure on")));
    m_synthetic = new QRadioButton(tr("S&ynthetic planes of these sizes (px)"), this);
    m_synthetic->setAccessibleName(tr("Measure on synthetic planes"));
    m_synthetic->setToolTip(tr("Planes of uniform random samples in [0, 1), the same in every run"));
    layout->addWidget(m_synthetic);
    auto* sizes = new QGridLayout;
    sizes->setContentsMargins(20, 0, 0, 0);
    sizes->setSpacing(smallSpacing);
    int cell = 0;
    for (const int side : offered_sizes) {
        const QString text = QStringLiteral("%1 × %1").arg(side);
        sizes->addWidget(addBox(m_sizes, side, text, tr("Size %1 by %1 pixels").arg(side),
                                tr("%1 Mpix").arg(double(side) * side / 1e6, 0, 'f', 2)),
                         cell / 2, cell % 2);
        ++cell;
    }
    m_customSizes = new QLineEdit(this);
    m_customSizes->setObjectName(QStringLiteral("customSizes"));
    m_customSizes->setPlaceholderText(tr("more, such as 1920x1080, 640x480"));
    m_customSizes->setClearButtonEnabled(true);
    m_customSizes->setAccessibleName(tr("More sizes, width x height in pixels, with commas between"));
    m_customSizes->setToolTip(tr("Width x height in pixels, with commas between"));
    sizes->addWidget(m_customSizes, 2, 0, 1, 2);
    layout->addLayout(sizes);
    m_image = new QRadioButton(tr("The open im&age"), this);
    m_image->setAccessibleName(tr("Measure on the open image"));
    layout->addWidget(m_image);
    m_imageText = new ToneLabel(ToneLabel::Tone::muted, this);
    m_imageText->setContentsMargins(20, 0, 0, 0);
    layout->addWidget(m_imageText);
    addProblemLine(layout, MatrixField::sizes);
    connect(m_customSizes, &QLineEdit::textChanged, this, &MatrixForm::refresh);
    connect(m_synthetic, &QRadioButton::toggled, this, &MatrixForm::refresh);
}

void MatrixForm::makeWork(QVBoxLayout* layout) {
    layout->addWidget(makeSection(tr("Filters")));
    auto* filters = new QGridLayout;
    filters->setSpacing(smallSpacing);
    filters->setHorizontalSpacing(normalSpacing);
    const auto rows = iir2d::filter_table();
    const int half = int(rows.size() + 1) / 2;
    int cell = 0;
    for (const iir2d::FilterRow& row : rows) {
        const QString text = QStringLiteral("%1 %2").arg(row.id).arg(toText(row.name));
        filters->addWidget(addBox(m_filters, row.id, text,
                                  tr("Filter %1, %2").arg(row.id).arg(toText(row.name)), toText(row.help)),
                           cell % half, cell / half);
        ++cell;
    }
    layout->addLayout(filters);

    layout->addWidget(makeSection(tr("Pooling")));
    m_pools = new PoolForm(this);
    layout->addWidget(m_pools);
    addProblemLine(layout, MatrixField::pools);
    connect(m_pools, &PoolForm::changed, this, &MatrixForm::refresh);

    layout->addWidget(makeSection(tr("Recipe")));
    m_recipe = new QCheckBox(this);
    m_recipe->setObjectName(QStringLiteral("recipeBox"));
    m_recipe->setToolTip(tr("The recipe as a whole is one case of each size"));
    layout->addWidget(m_recipe);
    connect(m_recipe, &QCheckBox::toggled, this, &MatrixForm::refresh);
    addProblemLine(layout, MatrixField::recipe);
    addProblemLine(layout, MatrixField::work);
}

void MatrixForm::makeVariants(QVBoxLayout* layout) {
    layout->addWidget(makeSection(tr("Borders")));
    auto* borders = new QHBoxLayout;
    borders->setSpacing(normalSpacing);
    for (const iir2d::Border border :
         {iir2d::Border::clamp, iir2d::Border::mirror, iir2d::Border::wrap, iir2d::Border::constant}) {
        const QString text = toText(iir2d::name_of(border));
        borders->addWidget(addBox(m_borders, border, text, tr("Border %1").arg(text), borderHelp(border)));
    }
    borders->addStretch();
    layout->addLayout(borders);
    addProblemLine(layout, MatrixField::borders);

    layout->addWidget(makeSection(tr("Precisions")));
    auto* precisions = new QHBoxLayout;
    precisions->setSpacing(normalSpacing);
    for (const iir2d::Precision precision :
         {iir2d::Precision::f32, iir2d::Precision::mixed, iir2d::Precision::f64}) {
        const QString text = toText(iir2d::name_of(precision));
        precisions->addWidget(
            addBox(m_precisions, precision, text, tr("Precision %1").arg(text), precisionHelp(precision)));
    }
    precisions->addStretch();
    layout->addLayout(precisions);
    addProblemLine(layout, MatrixField::precisions);
}

void MatrixForm::makeRun(QVBoxLayout* layout) {
    layout->addWidget(makeSection(tr("Run")));
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
    m_device = new QComboBox(this);
    m_device->setObjectName(QStringLiteral("deviceBox"));
    m_device->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_device->setMinimumContentsLength(12);
    guardWheel(m_device);
    addDevice(QStringLiteral("auto"), tr("Automatic"), {});
    addDevice(QStringLiteral("cpu"), tr("CPU"), {});
    add(tr("&Device"), m_device, tr("Device"), tr("What computes"), true);

    m_threads = new CountBox(0, this);
    m_threads->setMaximum(std::max(1, QThread::idealThreadCount()));
    m_threads->setSpecialValueText(tr("all"));
    add(tr("&Threads"), m_threads, tr("Threads of the CPU"),
        tr("Threads of the CPU; 0 is all %1").arg(QThread::idealThreadCount()), false);
    m_warmup = new CountBox(0, this);
    m_warmup->setMaximum(mostIterations);
    add(tr("War&m-up"), m_warmup, tr("Warm-up iterations"), tr("Iterations before the timed ones, not kept"),
        false);
    m_iterations = new CountBox(1, this);
    m_iterations->setMaximum(mostIterations);
    add(tr("Iteratio&ns"), m_iterations, tr("Timed iterations"),
        tr("Timed iterations of each case; every sample is kept"), false);
    layout->addLayout(grid);
    m_deviceText = new ToneLabel(ToneLabel::Tone::muted, this);
    layout->addWidget(m_deviceText);
    addProblemLine(layout, MatrixField::device);
    connect(m_device, &QComboBox::currentIndexChanged, this, &MatrixForm::refresh);
    for (CountBox* box : {m_threads, m_warmup, m_iterations}) {
        connect(box, &QSpinBox::valueChanged, this, &MatrixForm::refresh);
    }
    for (const CountBox* box : findChildren<CountBox*>())
        connect(box, &CountBox::wrongChanged, this, &MatrixForm::refresh);
}

void MatrixForm::addDevice(const QString& id, const QString& text, const QString& whyNot) {
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

void MatrixForm::showDevices() {
    const QScopedValueRollback setting(m_setting, true);
    for (const iir2d::DeviceInfo& device : m_session.devices()) {
        const QString name = device.name.empty() ? toText(device.id) : toText(device.name);
        addDevice(toText(device.id),
                  device.usable ? tr("%1: %2").arg(toText(device.id), name)
                                : tr("%1: not usable").arg(toText(device.id)),
                  device.usable ? QString() : toText(device.why_not));
    }
}

MatrixChoices MatrixForm::choices() const {
    MatrixChoices c;
    c.source = m_image->isChecked() ? MatrixChoices::Source::image : MatrixChoices::Source::synthetic;
    c.sizes.clear();
    for (const int side : checkedOf(m_sizes)) c.sizes.push_back({side, side});
    c.customSizes = m_customSizes->text();
    c.filterIds = checkedOf(m_filters);
    c.pools = m_pools->choices();
    c.recipe = m_recipe->isChecked();
    c.borders = checkedOf(m_borders);
    c.precisions = checkedOf(m_precisions);
    c.device = m_device->currentData().toString();
    c.threads = m_threads->value();
    c.warmup = m_warmup->value();
    c.iterations = m_iterations->value();
    return c;
}

void MatrixForm::setChoices(const MatrixChoices& choices) {
    {
        const QScopedValueRollback setting(m_setting, true);
        (choices.source == MatrixChoices::Source::image ? m_image : m_synthetic)->setChecked(true);
        QStringList others;
        std::vector<int> sides;
        for (const BenchmarkSize& size : choices.sizes) {
            const bool offered = size.width == size.height &&
                                 std::ranges::find(offered_sizes, size.width) != offered_sizes.end();
            if (offered) {
                sides.push_back(int(size.width));
            } else {
                others.append(QStringLiteral("%1x%2").arg(size.width).arg(size.height));
            }
        }
        if (!choices.customSizes.isEmpty()) others.append(choices.customSizes);
        check(m_sizes, sides);
        m_customSizes->setText(others.join(QStringLiteral(", ")));
        check(m_filters, choices.filterIds);
        m_pools->setChoices(choices.pools);
        m_recipe->setChecked(choices.recipe);
        check(m_borders, choices.borders);
        check(m_precisions, choices.precisions);
        if (m_device->findData(choices.device) < 0) addDevice(choices.device, choices.device, {});
        m_device->setCurrentIndex(m_device->findData(choices.device));
        m_threads->setValue(choices.threads);
        m_warmup->setValue(choices.warmup);
        m_iterations->setValue(choices.iterations);
    }
    refresh();
}

void MatrixForm::refresh() {
    if (m_setting) return;
    showContext();
    showPreset();
    m_matrix = toMatrix(choices(), {m_session.image(), m_session.recipe()});
    // Nothing is measured with a number other than the one that is shown.
    if (const CountBox* box = wrongNumber(); box != nullptr && m_matrix) {
        m_matrix = std::unexpected(std::vector{
            MatrixProblem{MatrixField::run, tr("%1: %2").arg(box->accessibleName(), box->wrong())}});
    }
    for (const auto& [field, line] : m_problems) {
        QStringList texts;
        if (!m_matrix) {
            for (const MatrixProblem& problem : m_matrix.error()) {
                if (problem.field == field) texts.append(problem.text);
            }
        }
        line->setText(texts.join(QLatin1Char(' ')));
        line->setVisible(!texts.isEmpty());
    }
    setRefused(m_customSizes, problemAt(MatrixField::sizes));
    Q_EMIT changed();
}

// What depends on the open image and recipe, and on other choices.
void MatrixForm::showContext() {
    const ImagePtr image = m_session.image();
    const bool onImage = m_image->isChecked();
    if (image) {
        m_imageText->setText(
            tr("%1, %2 × %3 px, %n channel(s): filters and pooling run on the first, the recipe "
               "on all",
               nullptr, image->pixels.channels())
                .arg(toText(image->info.path.filename().u8string().empty()
                                ? std::string("untitled")
                                : image->info.path.filename().string()))
                .arg(image->pixels.width())
                .arg(image->pixels.height()));
    } else {
        m_imageText->setText(tr("No image is open."));
    }
    m_image->setEnabled(image != nullptr || onImage);
    m_image->setToolTip(image ? tr("The size is the image's") : tr("Open an image first"));
    for (const auto& [side, box] : m_sizes) box->setEnabled(!onImage);
    m_customSizes->setEnabled(!onImage);

    const auto& operations = m_session.recipe().operations;
    const int count = int(std::ranges::count_if(operations, &Operation::enabled));
    m_recipe->setText(count == 0 ? tr("The open recipe: empty")
                                 : tr("The open recipe: %n operation(s)", nullptr, count));
    m_recipe->setAccessibleName(m_recipe->text());
    m_recipe->setEnabled(count > 0 || m_recipe->isChecked());

    const bool filters = std::ranges::any_of(m_filters, [](const auto& f) { return f.second->isChecked(); });
    for (const auto& [border, box] : m_borders) box->setEnabled(filters);
    for (const auto& [precision, box] : m_precisions) box->setEnabled(filters);

    const QString spec = m_device->currentData().toString();
    const iir2d::DeviceChoice& device = m_session.device();
    m_deviceText->setText(spec == m_session.deviceSpec()
                              ? toText(device.device.name()) + QStringLiteral(": ") + toText(device.reason)
                              : QString());
    m_deviceText->setVisible(!m_deviceText->text().isEmpty());
    m_threads->setEnabled(!spec.startsWith(QLatin1String("cuda")));
}

void MatrixForm::showPreset() {
    const MatrixChoices now = choices();
    int shown = customPreset;
    for (int i = 0; i < customPreset; ++i) {
        if (applied(static_cast<MatrixPreset>(i), now) == now) shown = i;
    }
    m_preset->setCurrentIndex(shown);
}

QString MatrixForm::problemAt(MatrixField field) const {
    for (const auto& [at, line] : m_problems) {
        if (at == field) return line->text();
    }
    if (field == MatrixField::run && !m_matrix) {
        for (const MatrixProblem& problem : m_matrix.error()) {
            if (problem.field == field) return problem.text;
        }
    }
    return {};
}

void MatrixForm::focusProblem() {
    if (m_matrix || m_matrix.error().empty()) return;
    switch (m_matrix.error().front().field) {
        case MatrixField::sizes:
            (m_customSizes->isEnabled() ? static_cast<QWidget*>(m_customSizes) : m_synthetic)->setFocus();
            break;
        case MatrixField::pools:
            m_pools->focusProblem();
            break;
        case MatrixField::recipe:
            m_recipe->setFocus();
            break;
        case MatrixField::work:
            m_filters.front().second->setFocus();
            break;
        case MatrixField::borders:
            m_borders.front().second->setFocus();
            break;
        case MatrixField::precisions:
            m_precisions.front().second->setFocus();
            break;
        case MatrixField::device:
            m_device->setFocus();
            break;
        case MatrixField::run:
            (wrongNumber() != nullptr ? wrongNumber() : m_iterations)->setFocus();
            break;
    }
}

CountBox* MatrixForm::wrongNumber() const {
    for (CountBox* box : findChildren<CountBox*>()) {
        if (!box->wrong().isEmpty()) return box;
    }
    return nullptr;
}

}  // namespace workbench
