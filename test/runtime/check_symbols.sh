#!/bin/sh
# Checks that the runtime library needs nothing but memory functions, libm and compiler helpers.
#
# usage: check_symbols.sh NM LIBRARY
set -eu
nm=$1
library=$2

# memory, libm, then functions that compilers call implicitly (integer division, float emulation,
# stack guard).
allowed='^(memcpy|memmove|memset|memcmp'
allowed="$allowed|(exp|expm1|log|log1p|sqrt|erf|pow|fmod|floor|ceil|rint|fabs)f"
allowed="$allowed|a?(sin|cos|tan)h?f"
allowed="$allowed|__aeabi_.*|__(u?div|u?mod|mul|ashl|ashr|lshr|cmp|ucmp)[a-z]*[0-9]|__stack_chk_(fail|guard)"
allowed="$allowed|_GLOBAL_OFFSET_TABLE_)\$"

defined=$("$nm" -A --defined-only "$library" 2>/dev/null | awk '{print $NF}' | sort -u)
undefined=$("$nm" -A --undefined-only "$library" 2>/dev/null | awk '{print $NF}' | sort -u)
bad=$(printf '%s\n' "$undefined" | grep -Ev "$allowed" | grep -vxF "$defined" || true)
if [ -n "$bad" ]; then
  echo "the runtime refers to symbols it must not need:"
  printf '%s\n' "$bad"
  exit 1
fi

# Global writable data would break re-entrancy.
writable=$("$nm" -A --defined-only "$library" 2>/dev/null | awk '$(NF-1) ~ /^[bBdDcC]$/ {print $0}' |
  grep -v 'tigris_backend_reference$' | grep -v ' kernels$' | grep -v ' rules$' | grep -v ' tables$' || true)
if [ -n "$writable" ]; then
  echo "the runtime has writable global data:"
  printf '%s\n' "$writable"
  exit 1
fi

# All exported symbols have the library's prefix.
foreign=$("$nm" -A --defined-only --extern-only "$library" 2>/dev/null | awk '{print $NF}' |
  grep -v '^tigris_' | grep -v ':$' || true)
if [ -n "$foreign" ]; then
  echo "the runtime exports names without its prefix:"
  printf '%s\n' "$foreign"
  exit 1
fi
echo "symbols ok"
