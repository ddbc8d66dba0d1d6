/** Processor time of the whole machine. */
import { cpus } from 'node:os'

/** Milliseconds of all processors since the machine started, and how many of them were busy. */
export function ticksOfMachine() {
  const times = cpus().map((cpu) => cpu.times)
  const all = times.reduce((sum, { user, nice, sys, idle, irq }) => sum + user + nice + sys + idle + irq, 0)
  return { all, busy: all - times.reduce((sum, { idle }) => sum + idle, 0) }
}
