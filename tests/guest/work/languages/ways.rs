// SPDX-License-Identifier: GPL-2.0-or-later
//! ways.rs - see make: in Rust, with a trait, a generic function and a closure
use std::hint::black_box;
use std::io::Read;

mod path {
    use std::hint::black_box;

    pub trait Way {
        fn go(&self, times: u32);
    }
    pub struct Left;
    pub struct Right;

    #[inline(never)]
    fn ask<T: Copy>(what: T) -> u32 {
        black_box(what);
        black_box(std::os::unix::process::parent_id())
    }

    impl Way for Left {
        #[inline(never)]
        fn go(&self, times: u32) {
            for i in 0..times {
                black_box(ask(i));
            }
        }
    }

    impl Way for Right {
        #[inline(never)]
        fn go(&self, times: u32) {
            (0..times).for_each(
                #[inline(never)]
                |i| {
                    black_box(ask(i));
                },
            );
        }
    }
}

#[inline(never)]
fn spin(parts: u64) {
    for i in 0..parts {
        black_box(i);
    }
}

#[inline(never)]
fn hot() {
    spin(black_box(3_000_009));
    black_box(());
}

#[inline(never)]
fn cold() {
    spin(black_box(1_000_003));
    black_box(());
}

#[inline(never)]
fn burn(rounds: u64) {
    for _ in 0..rounds {
        hot();
        cold();
    }
}

#[inline(never)]
fn walk(way: &dyn path::Way, times: u32) {
    way.go(times);
    black_box(times);
}

fn wait(what: &str) {
    println!("{what}");
    let _ = std::io::stdin().read(&mut [0]);
}

fn main() {
    wait("ready");
    if let Some(rounds) = std::env::args().nth(1) {
        burn(rounds.parse().unwrap());
    } else {
        walk(&path::Left, 300);
        walk(&path::Right, 100);
    }
    wait("done");
}
