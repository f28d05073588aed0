// Everything works without this script. With it, a square is chosen without a reload, the page shows what
// the opponent does, and arrow keys move on the board and through a replay.
'use strict';
(() => {
  let main = document.querySelector('main');
  const byId = id => document.getElementById(id);
  const all = selector => main.querySelectorAll(selector);
  const choices = '.o button';

  const flipsOf = button => (button?.dataset.flips || '').split(' ').filter(Boolean);

  // Marks the discs that a move flips.
  const mark = button => {
    all('.will').forEach(disc => disc.classList.remove('will'));
    flipsOf(button).forEach(id => byId(id).classList.add('will'));
  };

  const chosen = () => main.querySelector(choices + '[aria-pressed]');

  // Chooses a square, or none.
  const choose = button => {
    chosen()?.removeAttribute('aria-pressed');
    mark(button);
    const play = byId('play');
    if (!play) return;
    play.hidden = !button;
    byId('type').hidden = Boolean(button);
    if (!button) return;
    button.setAttribute('aria-pressed', 'true');
    play.elements.text.value = byId('chosen').textContent = button.value;
    const flips = flipsOf(button);
    const count = flips.length === 1 ? '1 disc' : flips.length + ' discs';
    byId('flips').textContent = flips.length ? `flips ${count}: ${flips.join(', ')}` : 'flips no discs';
  };

  const middle = element => {
    const { x, y, width, height } = element.getBoundingClientRect();
    return [x + width / 2, y + height / 2];
  };

  // Moves the middle of a board that scrolls to the square that matters.
  const center = () => {
    const frame = main.querySelector('.frame');
    const square = chosen() || frame?.querySelector('.last') || frame?.querySelector('.o, .b, .w');
    if (!square) return;
    const [[x, y], [u, v]] = [square, frame].map(middle);
    frame.scrollBy(x - u, y - v);
  };

  // Returns a selector that finds the same element on the next page.
  const selector = element =>
    element.id ? '#' + CSS.escape(element.id)
      : element.matches(choices) ? `${choices}[value="${element.value}"]`
        : element.matches('.moves a') ? `.moves [href="${element.getAttribute('href')}"]` : null;

  // Shows the deadline on the clock of this device, unless that has the zone of the page.
  const localize = () => {
    const time = main.querySelector('#local time');
    const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
    if (!time || main.textContent.includes(`(${timeZone})`)) return;
    const style = { dateStyle: 'full', timeStyle: 'short' };
    time.textContent = new Date(time.dateTime).toLocaleString('en-GB', style);
    byId('local').hidden = false;
  };

  // Fetches a page. Returns its status, 0 without an answer, and the page.
  const load = async url => {
    try {
      const response = await fetch(url);
      const next = new DOMParser().parseFromString(await response.text(), 'text/html');
      return [response.ok && !next.querySelector('main') ? 0 : response.status, next];
    } catch {
      return [0];
    }
  };

  // Replaces the page by another state of it. What was typed, opened and chosen stays.
  const show = next => {
    const fresh = next.querySelector('main');
    const active = document.activeElement || document.body;
    const [focused, isStep] = [selector(active), active.matches('.steps a')];
    const square = chosen()?.value;
    const scrolled = [...all('.frame')].map(it => [it.scrollLeft, it.scrollTop]);
    all('textarea[id], input[id]').forEach(field => {
      const same = fresh.querySelector('#' + field.id);
      if (same && field.value !== field.defaultValue) same.value = field.value;
    });
    all('details[open][id]').forEach(it => fresh.querySelector('#' + it.id)?.setAttribute('open', ''));
    if (fresh.dataset.says !== main.dataset.says) byId('news').textContent = fresh.dataset.says;
    main.replaceWith(fresh);
    main = fresh;
    document.title = next.title;
    localize();
    all('.frame').forEach((it, at) => [it.scrollLeft, it.scrollTop] = scrolled[at] || [0, 0]);
    if (square) choose(main.querySelector(`${choices}[value="${square}"]`));
    // At the first and at the last move, some links are gone.
    const focus = focused && main.querySelector(focused) || isStep && main.querySelector('#back, #next');
    if (focus) focus.focus({ preventScroll: true });
  };

  // Shows moments of the replay: one after the other, and of those wished meanwhile the newest.
  let [here, wish, begun] = [location.pathname, '', 0];
  const go = async path => {
    const isBusy = Boolean(wish);
    wish = path;
    if (isBusy) return;
    while (wish !== here) {
      const next = wish;
      begun = performance.now();
      const [status, page] = await load(next);
      // After too many requests, the page stays as it is.
      if (status === 429) break;
      if (status !== 200) return location.assign(next);
      show(page);
      here = next;
      if (!main.dataset.events) rest();
      else if (!stream) follow();
      if (next === wish && next !== location.pathname) history.pushState(null, '', next);
    }
    wish = '';
  };

  // Moves on from what is wished or shown. A held key does so five times a second: requests are limited.
  const step = (by, isHeld) => {
    if (isHeld && (wish || performance.now() - begun < 200)) return;
    const { path, ply, made } = main.dataset;
    const to = Number(wish.startsWith(path + '/') ? wish.slice(path.length + 1) : ply) + by;
    if (to >= 0 && to <= made) go(`${path}/${to}`);
  };

  // Follows the game while the page can be seen: a stream says which history it has. A hidden page has no
  // stream, since browsers open no more than six connections to a site.
  let [stream, timer, looks] = [null, 0, 0];
  const rest = () => {
    stream = stream?.close();
    clearTimeout(timer);
    looks += 1;
  };
  const follow = () => {
    rest();
    if (document.hidden || !main.dataset.events) return;
    stream = new EventSource(main.dataset.events);
    stream.onmessage = event => event.data !== main.dataset.shown && look();
    // A browser does not try again after an answer, such as that of a proxy during a restart.
    stream.onerror = () => stream?.readyState === EventSource.CLOSED && lookLater();
  };
  const look = async () => {
    const number = ++looks;
    const { pathname, search } = location;
    const isPlan = search.startsWith('?plan=');
    const now = isPlan ? pathname + search : main.dataset.events.slice(0, -'/events'.length);
    const [status, page] = await load(now);
    if (number !== looks) return;
    if (status !== 200) return status === 404 ? rest() : lookLater();
    show(page);
    // A replay that shows the last move goes on to the next one.
    if (!isPlan && now !== pathname) history.replaceState(null, '', here = now);
    if (!stream || !main.dataset.events) follow();
  };
  const lookLater = () => {
    rest();
    timer = setTimeout(look, 10000 + 20000 * Math.random());
  };

  const arrows = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

  // Keeps a text for the next page. Returns the one before.
  const keep = text => {
    try {
      return [sessionStorage[here], sessionStorage[here] = text][0];
    } catch {}
  };

  // Returns the nearest square in this direction that can be chosen.
  const neighbour = (from, [right, down]) => {
    const [x, y] = middle(from);
    let [nearest, least] = [null, Infinity];
    all(choices).forEach(it => {
      const [u, v] = middle(it);
      const ahead = (u - x) * right + (v - y) * down;
      const aside = Math.abs((u - x) * down) + Math.abs((v - y) * right);
      if (ahead > 4 && ahead + 2 * aside < least) [nearest, least] = [it, ahead + 2 * aside];
    });
    return nearest;
  };

  document.addEventListener('click', event => {
    const button = event.target.closest?.(choices);
    const link = event.target.closest?.('.steps a, .moves a');
    if (button?.name === 'choose') {
      event.preventDefault();
      choose(button.matches('[aria-pressed]') ? null : button);
      byId('go')?.focus({ preventScroll: true });
    } else if (link && !event.metaKey && !event.ctrlKey && !event.shiftKey) {
      event.preventDefault();
      go(link.pathname);
    }
  });

  document.addEventListener('keydown', event => {
    const { key, target } = event;
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    if (key === 'Escape' && chosen()) {
      const square = chosen();
      choose(null);
      square.focus();
    } else if (arrows[key] && target.matches(choices)) {
      event.preventDefault();
      neighbour(target, arrows[key])?.focus();
    } else if (arrows[key]?.[0] && main.dataset.ply && target.matches('body, .steps a, .moves a')) {
      event.preventDefault();
      step(arrows[key][0], event.repeat);
    }
  });

  // What a move would flip shows already when the pointer or the focus is on its square.
  for (const [over, out] of [['mouseover', 'mouseout'], ['focusin', 'focusout']]) {
    document.addEventListener(over, event => {
      if (event.target.matches?.(choices)) mark(event.target);
    });
    document.addEventListener(out, event => {
      if (event.target.matches?.(choices)) mark(chosen());
    });
  }

  document.addEventListener('submit', event => {
    const form = event.target;
    if (form.id === 'type') {
      const typed = form.elements.choose.value.trim().toLowerCase();
      const button = [...all(choices)].find(it => it.value.toLowerCase() === typed);
      if (!button) return;
      event.preventDefault();
      form.reset();
      choose(button);
      center();
      byId('go').focus({ preventScroll: true });
    } else if (form.method === 'post') {
      // A double click sends one request. Without an answer, it can be sent again.
      if (form.dataset.sent) return event.preventDefault();
      // What is typed in other forms is on the next page, too.
      const kept = [...all('textarea')].filter(it => it.form !== form && it.value !== it.defaultValue);
      keep(JSON.stringify(kept.map(({ id, value }) => [id, value])));
      form.dataset.sent = 'yes';
      setTimeout(() => delete form.dataset.sent, 5000);
    }
  });

  addEventListener('popstate', () => main.dataset.ply && go(location.pathname));
  // A page that comes back shows the game as it stands.
  addEventListener('pageshow', event => event.persisted && location.reload());

  JSON.parse(keep('') || '[]').forEach(([id, text]) => {
    const field = byId(id) || {};
    field.value = text;
    field.closest?.('details')?.setAttribute('open', '');
  });
  // What was done is said once.
  if (location.search.startsWith('?done=')) history.replaceState(null, '', here);
  localize();
  center();
  follow();
  document.addEventListener('visibilitychange', () => document.hidden ? rest() : main.dataset.events && look());
})();
