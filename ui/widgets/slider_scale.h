// SPDX-License-Identifier: MIT
// Converts between a slider's positions, which are integers, and a parameter's value. Pure.
#pragma once

namespace workbench {

class SliderScale {
  public:
    enum class Kind {
        linear,
        logarithmic,  // spans decades above zero, like a sigma of 0.3 to 100
        towards_one,  // ends just below 1, like a smoothing factor: even steps of log(1 - value)
    };

    // Picks the kind that suits the range; `step` is the parameter's sensible step.
    SliderScale(double minimum, double maximum, double step);

    Kind kind() const { return m_kind; }
    int lastPosition() const { return m_last; }  // positions are 0 to this

    // Returns the value at a position, rounded to no more digits than the distance to the neighbouring
    // positions makes meaningful; the ends are exact. positionOf(valueAt(p)) == p.
    double valueAt(int position) const;
    // Returns the nearest position; values outside the range go to its ends, NaN to 0.
    int positionOf(double value) const;
    // Returns how far one press of a spin box's arrow goes: finer where the scale is denser.
    double stepAt(double value, bool up) const;

  private:
    double exactAt(double position) const;

    Kind m_kind;
    double m_minimum;
    double m_maximum;
    double m_step;
    int m_last;
};

}  // namespace workbench
