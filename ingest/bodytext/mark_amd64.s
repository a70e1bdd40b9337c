#include "textflag.h"

// FILL sets all 16 bytes of X to those of IMM.
#define FILL(IMM, X) \
	MOVQ $IMM, R8      \
	MOVQ R8, X         \
	PUNPCKLQDQ X, X

// func skipToMark(text []byte) int
//
// 16 places at a time, in SSE2, which every amd64 processor has.
TEXT ·skipToMark(SB), NOSPLIT, $0-32
	MOVQ text_base+0(FP), SI
	MOVQ text_len+8(FP), CX
	XORQ AX, AX
	SUBQ $19, CX // 16 places, and the 3 bytes after the last one
	FILL(0x0a0a0a0a0a0a0a0a, X8)  // LF
	FILL(0x0d0d0d0d0d0d0d0d, X9)  // CR
	FILL(0x6161616161616161, X10) // a
	FILL(0x6363636363636363, X11) // c
	FILL(0x7070707070707070, X12) // p
	FILL(0x2020202020202020, X13) // the difference between upper and lower case

loop:
	CMPQ AX, CX
	JGT  done
	MOVOU (SI)(AX*1), X0
	MOVOU 1(SI)(AX*1), X1
	MOVOU 3(SI)(AX*1), X3
	MOVO  X0, X2
	MOVO  X0, X4
	POR   X13, X0
	POR   X13, X1
	POR   X13, X3
	PCMPEQB X8, X2
	PCMPEQB X9, X4
	PCMPEQB X10, X0
	PCMPEQB X11, X1
	PCMPEQB X12, X3
	POR   X4, X2
	PAND  X1, X0
	PAND  X3, X0
	POR   X2, X0
	PMOVMSKB X0, DX
	TESTL DX, DX
	JNZ   mark
	ADDQ  $16, AX
	JMP   loop

mark:
	BSFL DX, DX
	ADDQ DX, AX

done:
	MOVQ AX, ret+24(FP)
	RET
