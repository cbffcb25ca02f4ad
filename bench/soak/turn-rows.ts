// Rows about turns of the event loop: the longest, as the kernel counts them and without stops of the processor.

import type { Row } from '../throughput.ts';
import { type Stop, stoppedIn } from './stops.ts';
import { LONG_TURN, type Turn } from './turns.ts';
import type { Sample } from './watched-service.ts';

/** Microseconds. */
const LONGEST_TURN = 20_000;

/** `stops`: of the processor of the service; null: they are not known. */
export function turnRows(samples: readonly Sample[], stops: readonly Stop[] | null): Row[] {
  const middle = Math.floor(samples.length / 2);
  const longest = Math.max(...samples.map(({ longestTurn }) => longestTurn));
  const longestRound = Math.max(...samples.map((each) => each.longestRound));
  const longestCollection = Math.max(...samples.map((each) => each.longestCollection));
  const overLong = samples.filter(({ longestTurn }) => longestTurn > LONGEST_TURN).length;
  const [first, second] = [samples.slice(0, middle), samples.slice(middle)].map((half) =>
    milliseconds(Math.max(...half.map(({ turns999 }) => turns999))),
  );
  return [
    row(
      'longest turn of the event loop, by processor time',
      `${milliseconds(longest)} ms`,
      stops === null,
      longest,
    ),
    ...(stops === null ? [] : stopRows(samples, stops)),
    row(
      'longest round of the event loop, in which each who waits has a turn',
      `${milliseconds(longestRound)} ms`,
    ),
    row('samples with a longer turn than the goal', `${overLong} of ${samples.length}`),
    row('longest collection of garbage, by the clock', `${longestCollection.toFixed(1)} ms`),
    row('p99.9 of turns, worst sample of the first / second half', `${first} / ${second} ms`),
  ];
}

function stopRows(samples: readonly Sample[], stops: readonly Stop[]): Row[] {
  const turns = samples.flatMap(({ longTurns }) => longTurns);
  const ran = (turn: Turn): number => turn.spent - Math.min(turn.spent, stoppedIn(turn, stops));
  const longest = turns.toSorted((one, other) => ran(other) - ran(one)).slice(0, 3);
  const overLong = turns.filter((turn) => ran(turn) > LONGEST_TURN).length;
  const most = Math.max(0, ...turns.map(ran));
  const lengths = stops.map(({ begun, ended }) => ended - begun).sort((one, other) => other - one);
  const told = longest.map((turn) => `${milliseconds(ran(turn))} of ${milliseconds(turn.spent)}`).join(', ');
  return [
    row(
      'the same without stops of the processor, the three longest',
      turns.length === 0 ? `all below ${milliseconds(LONG_TURN)} ms` : `${told} ms`,
      true,
      most,
    ),
    row('turns longer than the goal without stops', `${overLong}`),
    row(
      'stops of the processor: above 5 ms, above 10 ms, the longest',
      `${lengths.filter((each) => each > 5_000).length}, ${lengths.filter((each) => each > 10_000).length}, ${milliseconds(lengths[0] ?? 0)} ms`,
    ),
  ];
}

/** `isGoal`: it is to be at most the longest turn. */
const row = (name: string, figure: string, isGoal = false, measured = 0): Row => ({
  name: `soak: ${name}`,
  figure,
  floor: isGoal ? `<= ${milliseconds(LONGEST_TURN)} ms` : '',
  met: !isGoal || measured <= LONGEST_TURN,
});

const milliseconds = (microseconds: number): string => (microseconds / 1_000).toFixed(1);
