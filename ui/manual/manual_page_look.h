// SPDX-License-Identifier: MIT
// Styles a page of the manual: sets what the reader of Markdown leaves plain in the theme's colours, and
// scales pictures to the page's width.
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
