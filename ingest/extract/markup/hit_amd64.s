//go:build !countwork

#include "textflag.h"

// FILL sets all 16 bytes of X to those of IMM.
#define FILL(IMM, X) \
	MOVQ $IMM, R8      \
	MOVQ R8, X         \
	PUNPCKLQDQ X, X

// func skipToHit(src []byte) int
//
// 16 places at a time, in SSE2, which every amd64 processor has.
TEXT ·skipToHit(SB), NOSPLIT, $0-32
	MOVQ src_base+0(FP), SI
	MOVQ src_len+8(FP), CX
	XORQ AX, AX
	SUBQ $19, CX // 16 places, and the 3 bytes after the last one
	FILL(0x3c3c3c3c3c3c3c3c, X8)  // <
	FILL(0x6d6d6d6d6d6d6d6d, X9)  // m
	FILL(0x3f3f3f3f3f3f3f3f, X10) // ?
	FILL(0x6363636363636363, X11) // c
	FILL(0x3a3a3a3a3a3a3a3a, X12) // :
	FILL(0x2626262626262626, X13) // &
	FILL(0x2020202020202020, X14) // the difference between upper and lower case

loop:
	CMPQ AX, CX
	JGT  done
	MOVOU (SI)(AX*1), X0
	MOVOU 1(SI)(AX*1), X1
	MOVOU 3(SI)(AX*1), X3
	POR   X14, X0
	POR   X14, X1
	MOVO  X0, X2
	MOVO  X1, X4
	MOVO  X3, X5
	PCMPEQB X8, X2
	PCMPEQB X9, X4
	PCMPEQB X10, X1
	PCMPEQB X11, X0
	PCMPEQB X12, X5
	PCMPEQB X13, X3
	POR   X4, X1
	POR   X5, X3
	PAND  X1, X2
	PAND  X3, X0
	POR   X2, X0
	PMOVMSKB X0, DX
	TESTL DX, DX
	JNZ   hit
	ADDQ  $16, AX
	JMP   loop

hit:
	BSFL DX, DX
	ADDQ DX, AX

done:
	MOVQ AX, ret+24(FP)
	RET
