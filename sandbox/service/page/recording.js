import { Replayer } from './vendor/replay.js';

const byId = (id) => document.getElementById(id);
const stage = byId('stage');
const answer = await fetch(`${location.pathname}/events`);
const events = answer.ok ? await answer.json() : [];

const clock = (ms) => {
  const seconds = Math.floor(ms / 1_000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
};

if (events.length < 2) byId('state').textContent = 'This recording is gone.';
else play();

function play() {
  const player = new Replayer(events, {
    root: stage,
    mouseTail: false,
    showWarning: false,
    triggerFocus: false,
    UNSAFE_replayCanvas: false,
  });
  player.iframe.title = 'The visitor’s page';
  player.iframe.tabIndex = -1;
  const { totalTime } = player.getMetaData();
  const place = byId('place');
  place.max = String(totalTime);
  let size = { width: 0, height: 0 };
  let isPlaying = false;

  function fit() {
    if (size.width === 0) return;
    const scale = Math.min(stage.clientWidth / size.width, stage.clientHeight / size.height);
    player.wrapper.style.transform = `translate(-50%, -50%) scale(${scale})`;
  }
  function show() {
    const at = Math.min(player.getCurrentTime(), totalTime);
    if (isPlaying) place.value = String(at);
    byId('time').textContent = `${clock(at)} of ${clock(totalTime)}`;
    byId('play').textContent = isPlaying ? 'Pause' : 'Play';
  }
  function go(isOn, at) {
    isPlaying = isOn;
    if (isOn) player.play(at);
    else player.pause(at);
    show();
  }
  player.on('resize', (changed) => {
    size = changed;
    fit();
  });
  player.on('finish', () => go(false, totalTime));
  new ResizeObserver(fit).observe(stage);
  byId('play').addEventListener('click', () => {
    const at = Number(place.value);
    go(!isPlaying, at >= totalTime ? 0 : at);
  });
  place.addEventListener('input', () => go(false, Number(place.value)));
  setInterval(show, 200);
  byId('state').textContent = 'What was typed is hidden here too.';
  go(false, 1);
}
