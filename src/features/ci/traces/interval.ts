/**
 * How often agents send what a job printed, as each reply tells them. The reference lets them wait for up to a minute while nobody watches. A
 * reader who comes then sees an old trace; pieces are cheap here, so it is always the time between pieces that are watched.
 */
const seconds = 3
const name = 'X-GitLab-Trace-Update-Interval'

export const traceInterval = {
  headers: { [name.toLowerCase()]: String(seconds) },
  described: { [name]: 'After how many seconds the runner sends the next piece of the trace' },
}
