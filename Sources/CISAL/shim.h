#pragma once
#include <isa-l.h>
