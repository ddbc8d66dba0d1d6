/** Compares the decisions of queues, over thousands of random histories, with a slow model that takes one request after the other. */
import { expect, test } from 'vitest'
import { nextStep, type PlannedCar, type PlannedTrain } from './planner.ts'

/** Repeatable random numbers from 0 to 1. */
function numbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32
    return state / 2 ** 32
  }
}

/** Requests, each with an earlier one that it breaks: each alone is fine. */
type Conflicts = ReadonlyMap<number, number>

function isGreen(merged: readonly number[], conflicts: Conflicts): boolean {
  const all = new Set(merged)
  return merged.every((one) => !all.has(conflicts.get(one) ?? 0))
}

/** A branch whose commits are lists of what was merged into it, and a queue whose tests end in any order. */
class World {
  cars: PlannedCar[] = []
  target = ''
  merged: number[] = []
  left: number[] = []
  /** Commits whose tests are under way or were. */
  tests = 0
  red = 0
  steps = 0
  private green = new Set<string>([''])

  private readonly conflicts: Conflicts
  private readonly limits: Pick<PlannedTrain, 'parallel' | 'batch_size'>

  constructor(conflicts: Conflicts, limits: World['limits']) {
    this.conflicts = conflicts
    this.limits = limits
  }

  add(id: number): void {
    this.cars.push({ id, base: null, merged: null, batch: null, test: null })
  }

  withdraw(id: number): void {
    this.cars = this.cars.filter((car) => car.id !== id)
  }

  /** A push past the queue. */
  push(): void {
    this.target = `${this.target}+`
    this.green.add(this.target)
  }

  /** Takes all steps that can be taken now. */
  settle(): void {
    for (;;) {
      const step = nextStep({ target: this.target, cars: this.cars, ...this.limits })
      if (!step) return
      this.steps += 1
      const ids = new Set(step.cars.map(({ id }) => id))
      const change = (of: (car: PlannedCar) => PlannedCar) => {
        this.cars = this.cars.map((car) => (ids.has(car.id) ? of(car) : car))
      }
      const last = step.cars.at(-1) as PlannedCar
      if (step.kind === 'merge') this.land(step.cars)
      if (step.kind === 'leave') {
        this.left.push(last.id)
        this.withdraw(last.id)
      }
      if (step.kind === 'split') change((car) => ({ ...car, batch: last.id, test: null }))
      if (step.kind === 'reset') change((car) => ({ ...car, base: null, merged: null, batch: null, test: null }))
      if (step.kind === 'test') {
        this.tests += 1
        change((car) => ({ ...car, test: 'running' }))
      }
      let tip = step.kind === 'build' ? step.onto : ''
      if (step.kind === 'build')
        change((car) => {
          const built = { ...car, base: tip, merged: `${tip},${car.id}`, batch: last.id, test: null }
          tip = built.merged
          return built
        })
    }
  }

  /** Ends a running test with the result that its commits deserve. */
  end(batch: number): void {
    const carrier = this.cars.find(({ id }) => id === batch)
    const ids = (carrier?.merged ?? '').split(/[,+]+/).filter(Boolean).map(Number)
    const test = isGreen(ids, this.conflicts) ? 'success' : 'failed'
    if (test === 'success') this.green.add(carrier?.merged ?? '')
    this.cars = this.cars.map((car) => (car.batch === batch ? { ...car, test } : car))
  }

  private land(cars: readonly PlannedCar[]): void {
    expect(cars[0]?.base).toBe(this.target)
    this.target = cars.at(-1)?.merged as string
    if (!this.green.has(this.target)) this.red += 1
    this.merged.push(...cars.map(({ id }) => id))
    this.cars = this.cars.filter((car) => !cars.includes(car))
  }

  running(): number[] {
    return [...new Set(this.cars.filter(({ test }) => test === 'running').map(({ batch }) => batch as number))]
  }
}

/** One after the other, each tested on what was merged before. */
function oneByOne(requests: readonly number[], conflicts: Conflicts): number[] {
  const merged: number[] = []
  for (const one of requests) if (isGreen([...merged, one], conflicts)) merged.push(one)
  return merged
}

function conflictsAmong(count: number, share: number, random: () => number): Conflicts {
  const conflicts = new Map<number, number>()
  for (let one = 2; one <= count; one += 1) if (random() < share) conflicts.set(one, 1 + Math.floor(random() * (one - 1)))
  return conflicts
}

const anyOf = <T>(all: readonly T[], random: () => number) => all[Math.floor(random() * all.length)] as T

test('tests that end in any order merge the same as one test after the other, and nothing untested', () => {
  for (let seed = 1; seed <= 1_000; seed += 1) {
    const random = numbers(seed)
    const count = 1 + Math.floor(random() * 14)
    const conflicts = conflictsAmong(count, random() * 0.5, random)
    const world = new World(conflicts, { parallel: 1 + Math.floor(random() * 4), batch_size: 1 + Math.floor(random() * 6) })
    const waiting = Array.from({ length: count }, (_, index) => index + 1)
    while (waiting.length > 0 || world.cars.length > 0) {
      if (waiting.length > 0 && random() < 0.4) world.add(waiting.shift() as number)
      world.settle()
      const running = world.running()
      if (running.length > 0) world.end(anyOf(running, random))
      world.settle()
      expect(world.steps, `seed ${seed}`).toBeLessThan(2_000)
    }
    const all = Array.from({ length: count }, (_, index) => index + 1)
    expect([world.merged, world.red], `seed ${seed}`).toEqual([oneByOne(all, conflicts), 0])
    expect([...world.merged, ...world.left].sort((one, other) => one - other)).toEqual(all)
  }
})

test('with pushes past the queue and requests that are withdrawn at any moment, the target stays green and in order', () => {
  for (let seed = 1; seed <= 1_000; seed += 1) {
    const random = numbers(seed + 10_000)
    const count = 2 + Math.floor(random() * 12)
    const conflicts = conflictsAmong(count, random() * 0.3, random)
    const world = new World(conflicts, { parallel: 1 + Math.floor(random() * 3), batch_size: 1 + Math.floor(random() * 5) })
    const withdrawn: number[] = []
    for (let one = 1; one <= count; one += 1) world.add(one)
    for (let rounds = 0; world.cars.length > 0; rounds += 1) {
      expect(rounds, `seed ${seed}`).toBeLessThan(1_000)
      const dice = rounds < 50 ? random() : 1
      if (dice < 0.05) world.push()
      else if (dice < 0.12) {
        const { id } = anyOf(world.cars, random)
        withdrawn.push(id)
        world.withdraw(id)
      }
      world.settle()
      const running = world.running()
      if (running.length > 0) world.end(anyOf(running, random))
      world.settle()
    }
    expect(world.red, `seed ${seed}`).toBe(0)
    expect(world.merged, `seed ${seed}`).toEqual([...world.merged].sort((one, other) => one - other))
    expect([...world.merged, ...world.left, ...withdrawn].sort((one, other) => one - other)).toEqual(
      Array.from({ length: count }, (_, index) => index + 1),
    )
    // A rejected request really conflicts with the requests merged before it.
    for (const one of world.left) expect(isGreen([...world.merged.filter((id) => id < one), one], conflicts), `seed ${seed}`).toBe(false)
  }
})

test('500 requests of which 5 % break another one take at most 1.2 tests a merge', () => {
  const all = Array.from({ length: 500 }, (_, index) => index + 1)
  for (const [parallel, batch_size] of [
    [4, 4],
    [1, 8],
  ] as const) {
    const random = numbers(42)
    const conflicts = conflictsAmong(500, 0.05, random)
    const world = new World(conflicts, { parallel, batch_size })
    for (const one of all) world.add(one)
    world.settle()
    // The first ends first, as tests of one length do.
    while (world.cars.length > 0) {
      world.end(world.running()[0] as number)
      world.settle()
    }
    expect([world.merged, world.red]).toEqual([oneByOne(all, conflicts), 0])
    expect(world.tests / world.merged.length, `${parallel} at a time, ${batch_size} together`).toBeLessThan(1.2)
  }
})
