#include "ink_command_line.h"
