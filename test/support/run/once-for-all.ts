/** Builds expensive things once per run: the first worker that needs one builds it, while the others wait. */
import { existsSync } from 'node:fs'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { inject } from 'vitest'

type Outcome<T> = { built: T } | { failure: string }

/**
 * The result of `build` in the first worker that called this with the name, after a round trip through JSON. `build` gets a folder that is
 * removed after all tests.
 */
export async function onceForAll<T>(name: string, build: (folder: string) => Promise<T>): Promise<T> {
  const folder = join(inject('build_folder'), name)
  const file = join(folder, 'outcome.json')
  const isFirst = await mkdir(folder).then(
    () => true,
    () => false,
  )
  if (isFirst) await writeOutcome(file, () => build(folder))
  while (!existsSync(file)) await setTimeout(20)
  const outcome = JSON.parse(await readFile(file, 'utf8')) as Outcome<T>
  if ('failure' in outcome) throw new Error(`${name} could not be built: ${outcome.failure}`)
  return outcome.built
}

/** The file only appears once it is complete. Workers that wait for it learn of a failure, too. */
async function writeOutcome<T>(file: string, build: () => Promise<T>): Promise<void> {
  const outcome: Outcome<T> = await build().then(
    (built) => ({ built }),
    (error: unknown) => ({ failure: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
  )
  await writeFile(`${file}.draft`, JSON.stringify(outcome))
  await rename(`${file}.draft`, file)
}
