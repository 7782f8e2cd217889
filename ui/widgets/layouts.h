// SPDX-License-Identifier: MIT
// Makes columns and rows of widgets, of which views consist.
#pragma once

#include <QHBoxLayout>
#include <QVBoxLayout>

namespace workbench {

// Makes the layout of `parent`, or one that goes into another when there is none. Nothing around its widgets
// is left free but `margins`.
template <class Layout>
Layout* makeLayout(QWidget* parent, int spacing, const QMargins& margins) {
    auto* layout = parent ? new Layout(parent) : new Layout;
    layout->setContentsMargins(margins);
    layout->setSpacing(spacing);
    return layout;
}
inline QVBoxLayout* makeColumn(QWidget* parent, int spacing, const QMargins& margins = {}) {
    return makeLayout<QVBoxLayout>(parent, spacing, margins);
}
inline QHBoxLayout* makeRow(QWidget* parent, int spacing, const QMargins& margins = {}) {
    return makeLayout<QHBoxLayout>(parent, spacing, margins);
}

}  // namespace workbench
