/// The principal variation of the node at each ply of the current path.
#[derive(Default)]
pub(super) struct Lines(Vec<Vec<u16>>);

impl Lines {
    /// Returns the line from this ply on.
    pub(super) fn from(&self, ply: usize) -> &[u16] {
        self.0.get(ply).map_or(&[], Vec::as_slice)
    }

    /// Removes the line from this ply on, and that of the next ply.
    pub(super) fn clear(&mut self, ply: u32) {
        let ply = ply as usize;
        if self.0.len() < ply + 2 {
            self.0.resize(ply + 2, Vec::new());
        }
        self.0[ply].clear();
        self.0[ply + 1].clear();
    }

    /// Makes the line from this ply a move and the line from the next ply on.
    pub(super) fn extend(&mut self, ply: u32, mv: u16) {
        let (before, after) = self.0.split_at_mut(ply as usize + 1);
        if let (Some(line), Some(rest)) = (before.last_mut(), after.first()) {
            line.clear();
            line.push(mv);
            line.extend_from_slice(rest);
        }
    }
}
