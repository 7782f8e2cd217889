// SPDX-License-Identifier: MIT
// How a page of the manual looks: what the reader of Markdown leaves plain, in the theme's colours, and its
// pictures as wide as the page has room for.
#pragma once

#include <QString>

class QTextDocument;

namespace workbench {

// Changes formats alone: blocks keep their numbers.
void giveManualLook(QTextDocument& document);

// Gives the document its pictures, of files below `folder` alone, none wider than `width`. For a screen of
// `scale` pixels a point.
void fitManualPictures(QTextDocument& document, const QString& folder, int width, double scale);

}  // namespace workbench
