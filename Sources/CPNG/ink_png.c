#include "ink_png.h"
