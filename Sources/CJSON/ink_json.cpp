#include "ink_json.h"
