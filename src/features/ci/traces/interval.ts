/**
 * How often agents send a part of the trace, as each reply tells them. The reference lets them wait up to a minute while nobody watches, so
 * a reader who comes then sees an old trace. Pieces are cheap here, so the interval is always the one for watched jobs.
 */
const seconds = 3
const name = 'X-GitLab-Trace-Update-Interval'

export const traceInterval = {
  headers: { [name.toLowerCase()]: String(seconds) },
  described: { [name]: 'After how many seconds the runner sends the next piece of the trace' },
}
