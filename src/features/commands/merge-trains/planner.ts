/**
 * Decides what a queue of merge requests does next: a pure function from its state to one step. What carries steps out asks again after each
 * of them, so a process that dies in between loses nothing.
 */

/** A merge request in the queue. */
export interface PlannedCar {
  id: number
  /** The commit on which it was merged for its test; null until then. */
  base: string | null
  /** The result of merging it there. */
  merged: string | null
  /** The id of the last car of those that are tested together. */
  batch: number | null
  /** Result of testing its batch; null before the test begins. */
  test: 'running' | 'success' | 'failed' | null
}

export interface PlannedTrain {
  /** The tip of the target branch. */
  target: string
  /** In the order in which they are merged. */
  cars: readonly PlannedCar[]
  /** Tests that may run at the same time. */
  parallel: number
  /** Cars that may be tested together. */
  batch_size: number
}

export type Step =
  /** These were tested together, on what the target is now: it becomes the result of the last one. */
  | { kind: 'merge'; cars: PlannedCar[] }
  /** Its test has failed on what the target is now, so it is to blame alone. */
  | { kind: 'leave'; cars: PlannedCar[] }
  /** The test of a batch has failed: these, its first half, are tested by themselves. */
  | { kind: 'split'; cars: PlannedCar[] }
  /** They were merged onto what is no longer before them, or wait behind what has failed: their tests are void. */
  | { kind: 'reset'; cars: PlannedCar[] }
  /** Their test begins. */
  | { kind: 'test'; cars: PlannedCar[] }
  /** They are merged, one after the other, onto that commit, as one batch. */
  | { kind: 'build'; cars: PlannedCar[]; onto: string }

/** Null if the queue waits, or is empty. */
export function nextStep({ target, cars, parallel, batch_size }: PlannedTrain): Step | null {
  const batches = batchesOf(cars)
  const waiting = cars.slice(batches.reduce((sum, batch) => sum + batch.length, 0))
  let tip = target
  let running = 0
  for (const [index, batch] of batches.entries()) {
    const behind = batches.slice(index + 1).flat()
    const end = endOf(batch, tip)
    if (end === null) return { kind: 'reset', cars: [...batch, ...behind] }
    tip = end
    const test = batch[0]?.test ?? null
    if (test === null) return { kind: 'test', cars: batch }
    if (test === 'failed') {
      // Later batches contain the failed commits, so their tests would fail, too.
      if (behind.length > 0) return { kind: 'reset', cars: behind }
      return index === 0 ? blame(batch) : null
    }
    if (test === 'success' && index === 0) return { kind: 'merge', cars: batch }
    if (test === 'running') running += 1
  }
  const size = sizeOfNext(waiting.length, parallel - running, batch_size)
  return size === 0 ? null : { kind: 'build', cars: waiting.slice(0, size), onto: tip }
}

/** Each is tested by itself while there are enough tests for all that wait; then as many together as they must be. */
function sizeOfNext(waiting: number, free: number, batch_size: number): number {
  if (waiting === 0 || free <= 0) return 0
  return Math.min(batch_size, Math.ceil(waiting / free))
}

/** The cars that were merged for a test, by batch. */
function batchesOf(cars: readonly PlannedCar[]): PlannedCar[][] {
  const batches: PlannedCar[][] = []
  for (const car of cars) {
    if (car.batch === null) break
    const last = batches.at(-1)
    if (last && last[0]?.batch === car.batch) last.push(car)
    else batches.push([car])
  }
  return batches
}

/** The result of the batch; null if it was merged onto something else than `tip`, or one of it has left. */
function endOf(batch: readonly PlannedCar[], tip: string): string | null {
  let end: string | null = tip
  for (const { base, merged } of batch) {
    if (base !== end) return null
    end = merged
  }
  const last = batch.at(-1)
  return last?.id === last?.batch ? end : null
}

/**
 * A single one is to blame. Of several the first half is tested. If it succeeds and is merged, the failed test is that of the second half,
 * which is halved at once: one culprit among n costs about log n tests.
 */
function blame(batch: PlannedCar[]): Step {
  if (batch.length === 1) return { kind: 'leave', cars: batch }
  return { kind: 'split', cars: batch.slice(0, Math.ceil(batch.length / 2)) }
}
