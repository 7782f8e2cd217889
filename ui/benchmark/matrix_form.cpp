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
#include <QVBoxLayout>
#include <algorithm>
#include <tuple>

#include "ui/benchmark/pool_form.h"
#include "ui/benchmark/run_form.h"
#include "ui/charts/figures.h"
#include "ui/session/session.h"
#include "ui/support/text.h"
#include "ui/widgets/form_parts.h"
#include "ui/widgets/layouts.h"
#include "ui/widgets/theme.h"

namespace workbench {
namespace {

constexpr int customPreset = 3;  // the row after MatrixPreset's

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

}  // namespace

MatrixForm::MatrixForm(Session& session, QWidget* parent) : QWidget(parent), m_session(session) {
    setObjectName(QStringLiteral("matrixForm"));
    auto* layout = makeColumn(this, smallSpacing,
                              {normalSpacing + smallSpacing, normalSpacing, normalSpacing, normalSpacing});
    const QScopedValueRollback setting(m_setting, true);
    makePresets(layout);
    makeSource(layout);
    makeWork(layout);
    makeVariants(layout);
    layout->addWidget(makeSection(tr("Run")));
    m_run = new RunForm(session, this);
    layout->addWidget(m_run);
    addProblemLine(layout, MatrixField::device);
    connect(m_run, &RunForm::changed, this, &MatrixForm::refresh);
    for (const CountBox* box : findChildren<CountBox*>())
        connect(box, &CountBox::wrongChanged, this, &MatrixForm::refresh);
    layout->addStretch();

    MatrixChoices standard;
    standard.device = session.deviceSpec();
    standard.threads = session.threads();
    setChoices(standard);
    connect(&session, &Session::imageChanged, this, &MatrixForm::refresh);
    connect(&session, &Session::recipeChanged, this, &MatrixForm::refresh);
    m_followed = {standard.device, standard.threads};
    connect(&session, &Session::deviceChanged, this, &MatrixForm::followDevice);
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
    for (const auto& [name, help] :
         {std::pair{tr("Smoke"), tr("A few seconds: does it work?")},
          std::pair{tr("Standard"), tr("Three filters, three sizes, two precisions")},
          std::pair{tr("Full"), tr("Every filter, border and precision, all pooling")},
          std::pair{tr("Custom"), QString()}}) {
        m_preset->addItem(name);
        m_preset->setItemData(m_preset->count() - 1, help, Qt::ToolTipRole);
    }
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
    auto* borders = makeRow(nullptr, normalSpacing);
    for (const auto& [border, help] :
         {std::pair{iir2d::Border::clamp, tr("Repeats the sample at the edge")},
          std::pair{iir2d::Border::mirror, tr("Mirrors the image at its edge")},
          std::pair{iir2d::Border::wrap, tr("Continues at the opposite edge (periodic)")},
          std::pair{iir2d::Border::constant, tr("A constant outside, here 0")}}) {
        const QString text = toText(iir2d::name_of(border));
        borders->addWidget(addBox(m_borders, border, text, tr("Border %1").arg(text), help));
    }
    borders->addStretch();
    layout->addLayout(borders);
    addProblemLine(layout, MatrixField::borders);

    layout->addWidget(makeSection(tr("Precisions")));
    auto* precisions = makeRow(nullptr, normalSpacing);
    for (const auto& [precision, help] :
         {std::pair{iir2d::Precision::f32, tr("32-bit samples and arithmetic")},
          std::pair{iir2d::Precision::mixed, tr("32-bit samples, 64-bit arithmetic")},
          std::pair{iir2d::Precision::f64, tr("64-bit samples and arithmetic")}}) {
        const QString text = toText(iir2d::name_of(precision));
        precisions->addWidget(addBox(m_precisions, precision, text, tr("Precision %1").arg(text), help));
    }
    precisions->addStretch();
    layout->addLayout(precisions);
    addProblemLine(layout, MatrixField::precisions);
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
    m_run->fill(c);
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
        m_run->setChoices(choices);
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

    m_run->showContext();
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
            m_run->focusDevice();
            break;
        case MatrixField::run:
            if (CountBox* box = wrongNumber()) {
                box->setFocus();
            } else {
                m_run->focusIterations();
            }
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
