//! What the kernels for x86-64 have in common: a kernel has a list of instructions that the processor must
//! have, and two functions for them. Only this file and those of the kernels have `unsafe` code.

/// Defines a kernel: its name and the instructions, as the compiler calls them. The functions `flips` and
/// `placements` must be in scope.
///
/// The methods of the kernel assume that the processor has the instructions. `detect` is the only way to
/// `start`, and nothing else calls a function with this kernel.
macro_rules! kernel {
    ($(#[$about:meta])* $name:ident: $($instructions:tt)+) => {
        $(#[$about])*
        #[derive(Clone, Copy)]
        pub(super) struct $name(());

        impl $name {
            /// Returns the kernel if this processor has its instructions.
            pub(super) fn detect() -> Option<Self> {
                let has_all = $(is_x86_feature_detected!($instructions))&&+;
                has_all.then_some(Self(()))
            }

            /// Calls a function with this kernel.
            pub(super) fn start<T: Task>(self, task: T) -> T::Output {
                Self::run(|| task.run::<Self>())
            }
        }

        #[target_feature($(enable = $instructions),+)]
        fn with_instructions<R>(body: impl FnOnce() -> R) -> R {
            body()
        }

        impl Kernel for $name {
            #[inline(always)]
            fn flips(own: u64, other: u64, square: usize) -> u64 {
                // SAFETY: a kernel exists only on processors with its instructions.
                unsafe { flips(own, other, square) }
            }

            #[inline(always)]
            fn placements(own: u64, other: u64) -> u64 {
                // SAFETY: a kernel exists only on processors with its instructions.
                unsafe { placements(own, other) }
            }

            #[inline(always)]
            fn prefetch<T>(value: &T) {
                // SAFETY: a prefetch has no effect that a program can see, at any address.
                unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(value).cast()) };
            }

            #[inline(always)]
            fn run<R>(body: impl FnOnce() -> R) -> R {
                // SAFETY: a kernel exists only on processors with its instructions.
                unsafe { with_instructions(body) }
            }
        }
    };
}

pub(super) use kernel;
