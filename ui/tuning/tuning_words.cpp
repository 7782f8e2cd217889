// SPDX-License-Identifier: MIT
#include "ui/tuning/tuning_words.h"

#include <QCoreApplication>
#include <cmath>

#include "ui/charts/plot.h"
#include "ui/support/text.h"

namespace workbench {
namespace {

QString tuningText(const char* text) {
    return QCoreApplication::translate("Tuning", text);
}

}  // namespace

QString reasonWords(iir2d::TuneReason reason) {
    using enum iir2d::TuneReason;
    switch (reason) {
        case pinned:
            return tuningText("you pinned it");
        case off:
            return tuningText("the tuner is off");
        case chooser:
            return tuningText("a program's own chooser named it");
        case learned:
            return tuningText("it was measured here, in use");
        case exploring:
            return tuningText("its turn to be measured has come");
        case model:
            return tuningText("the model predicts a gain");
        case static_as_good:
            return tuningText("the model predicts no gain that is worth it");
        case table:
            return tuningText("the table of its family names it, since the model reads other features");
        case no_model:
            return tuningText("there is no model for it");
        case foreign_machine:
            return tuningText("the model is of another machine");
        case stale_kernels:
            return tuningText("the model is of other kernels");
        case unproven:
            return tuningText("the model was not proved on problems it had not seen");
        case wrong_space:
            return tuningText("the model knows other knobs");
        case wrong_features:
            return tuningText("what the model reads cannot be computed here");
        case unsupported_op:
            return tuningText("there is one way only");
        case empty:
            return tuningText("the model's table has nothing that is valid");
        case error:
            return tuningText("the options or the program's chooser were wrong");
    }
    return {};
}

QString modeWords(iir2d::TuneMode mode) {
    using enum iir2d::TuneMode;
    switch (mode) {
        case off:
            return tuningText("Nobody is asked: the library's own rules. Nothing is counted.");
        case automatic:
            return tuningText("What was learned in use on this machine, then the models.");
        case model:
            return tuningText("The models alone: the same problem gives the same config.");
        case measure:
            return tuningText(
                "What was learned; else the runs that you ask for anyway take turns in measuring what a "
                "model proposes.");
    }
    return {};
}

QString statusWords(const tune::RegisteredModel& model) {
    using enum tune::ModelStatus;
    switch (model.status) {
        case active:
            return tuningText("decides");
        case shadowed:
            return tuningText("could decide");
        case foreign_machine:
            return tuningText("another machine");
        case stale_kernels:
            return tuningText("other kernels");
        case unproven:
            return tuningText("not proved");
        case wrong_space:
            return tuningText("other knobs");
        case wrong_features:
            return tuningText("other features");
        case no_interface:
            return tuningText("other interface");
        case damaged:
            return tuningText("damaged");
        case unreadable:
            return tuningText("not readable");
    }
    return {};
}

QString gainWords(double ratio) {
    const double percent = 100 * (1 - ratio);
    if (std::abs(percent) < 0.05) return tuningText("as fast as static");
    const QString size = QString::number(std::abs(percent), 'f', std::abs(percent) < 10 ? 1 : 0);
    return (percent > 0 ? tuningText("%1 % less time than static") : tuningText("%1 % more time than static"))
        .arg(size);
}

QString keptWords(const iir2d::Explanation& said, std::size_t candidate, const iir2d::TuneOptions& options) {
    const iir2d::RankedConfig& one = said.candidates[candidate];
    if (!one.predicted_ratio)
        return one.kept ? tuningText("runs: nothing is predicted") : tuningText("nothing is predicted");
    if (one.kept) return tuningText("kept");
    const double best = said.candidates.front().predicted_ratio.value_or(1);
    const double behind = *one.predicted_ratio / best;
    if (behind > options.threshold)
        return tuningText("cut: %1 of the best, more than %2")
            .arg(shortNumber(behind), shortNumber(options.threshold));
    return tuningText("cut: the first %1 are kept").arg(options.top_k);
}

QString knobOf(const std::string& config) {
    if (config == "static") return QStringLiteral("static");
    const auto colon = config.find(':');
    if (config.find(' ') != std::string::npos) return tuningText("several");
    return toText(std::string_view(config).substr(0, colon));
}

}  // namespace workbench
