/* Memory of an emulated board; the C preprocessor fills in CODE, DATA and SLOW ranges and the stack size. */
ENTRY(reset)
MEMORY
{
  CODE (rx) : ORIGIN = CODE_BASE, LENGTH = CODE_SIZE
  DATA (rw) : ORIGIN = DATA_BASE, LENGTH = DATA_SIZE
  SLOW (rw) : ORIGIN = SLOW_BASE, LENGTH = SLOW_SIZE
}
SECTIONS
{
  .text : { KEEP(*(.vectors)) *(.text .text.*) *(.rodata .rodata.*) . = ALIGN(4); } > CODE
  .ARM.exidx : { *(.ARM.exidx*) } > CODE
  .data : ALIGN(4) { data_start = .; *(.data .data.*) . = ALIGN(4); data_end = .; } > DATA AT > CODE
  data_load = LOADADDR(.data);
  .bss (NOLOAD) : ALIGN(4) { bss_start = .; *(.bss .bss.*) *(COMMON) . = ALIGN(4); bss_end = .; } > DATA
  .stack (NOLOAD) : ALIGN(8) { stack_limit = .; . += STACK_SIZE; stack_top = .; } > DATA
  .slow (NOLOAD) : ALIGN(16) { *(.slow) } > SLOW
  end = .;
  /DISCARD/ : { *(.comment) *(.ARM.attributes) }
}
