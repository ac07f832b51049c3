//go:build linux && (amd64 || arm64)

#include "textflag.h"

DATA faultText<>+0(SB)/8, $"watchpos"
DATA faultText<>+8(SB)/8, $"t: a fil"
DATA faultText<>+16(SB)/8, $"e of the"
DATA faultText<>+24(SB)/8, $" store c"
DATA faultText<>+32(SB)/8, $"annot be"
DATA faultText<>+40(SB)/8, $" read or"
DATA faultText<>+48(SB)/8, $" written"
DATA faultText<>+56(SB)/8, $" (SIGBUS"
DATA faultText<>+64(SB)/8, $"): the d"
DATA faultText<>+72(SB)/8, $"isk is f"
DATA faultText<>+80(SB)/8, $"ull or f"
DATA faultText<>+88(SB)/8, $"ails. No"
DATA faultText<>+96(SB)/8, $"thing th"
DATA faultText<>+104(SB)/8, $"at was a"
DATA faultText<>+112(SB)/8, $"cknowled"
DATA faultText<>+120(SB)/8, $"ged is l"
DATA faultText<>+128(SB)/8, $"ost. Mak"
DATA faultText<>+136(SB)/8, $"e room i"
DATA faultText<>+144(SB)/8, $"n the da"
DATA faultText<>+152(SB)/8, $"ta folde"
DATA faultText<>+160(SB)/8, $"r and st"
DATA faultText<>+168(SB)/8, $"art agai"
DATA faultText<>+176(SB)/8, $"n.\n\x00\x00\x00\x00\x00"
GLOBL faultText<>(SB), RODATA|NOPTR, $184

// func faultHandler() uintptr
TEXT ·faultHandler(SB), NOSPLIT, $0-8
#ifdef GOARCH_amd64
	LEAQ onFault<>(SB), AX
	MOVQ AX, ret+0(FP)
#else
	MOVD $onFault<>(SB), R0
	MOVD R0, ret+0(FP)
#endif
	RET

// onFault writes faultText to standard error and ends the process with status 1.
TEXT onFault<>(SB), NOSPLIT|NOFRAME, $0
#ifdef GOARCH_amd64
	MOVL $1, AX // write
	MOVL $2, DI
	LEAQ faultText<>(SB), SI
	MOVL $179, DX
	SYSCALL
	MOVL $231, AX // exit_group
	MOVL $1, DI
	SYSCALL
	INT  $3
#else
	MOVD $2, R0
	MOVD $faultText<>(SB), R1
	MOVD $179, R2
	MOVD $64, R8 // write
	SVC
	MOVD $1, R0
	MOVD $94, R8 // exit_group
	SVC
	BRK
#endif
