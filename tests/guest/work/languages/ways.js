// SPDX-License-Identifier: GPL-2.0-or-later
// ways.js - see make: in JavaScript, where what is called often is compiled, the rest interpreted
'use strict';
const fs = require('fs');
let parts = 0;

function ask(asks) {
	if (asks)
		parts += process.getuid();
	parts++;
}

function left(asks) { ask(asks); parts++; }
function right(asks) { ask(asks); parts++; }

function walk(lefts, rights, asks) {
	for (let i = 0; i < lefts; i++)
		left(asks);
	for (let i = 0; i < rights; i++)
		right(asks);
}

function spin(n) {
	for (let i = 0; i < n; i++)
		parts = (parts + i) & 0xffff;
}

function hot() { spin(30009); parts++; }
function cold() { spin(10003); parts++; }

function round() { hot(); cold(); }

function burn(rounds) {
	for (let i = 0; i < rounds; i++)
		round();
}

function wait(what) {
	console.log(what);
	fs.readSync(0, Buffer.alloc(1));
}

// these are to stay functions of their own
for (const f of [ask, left, right, round, hot, cold])
	eval('%NeverOptimizeFunction(f)');
for (let i = 0; i < 300; i++) {
	walk(30, 10, false);
	round();
}
wait('ready');
if (process.argv.length > 2)
	burn(Number(process.argv[2]));
else
	walk(300, 100, true);
wait('done');
