/** Everything acknowledged survives a power cut: on a real file system that loses all that was not flushed. */
import { mkdir, mkdtemp, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { engine } from '../../support/database.ts'
import { testForge } from '../../support/forge.ts'
import { killGitBelow } from '../../support/git-processes.ts'
import { openDisk, whyNoPowerCut } from '../../support/power-cut.ts'
import { cpuBudget } from '../../support/run/cpu.ts'
import { inFullRun } from '../../support/run/tiers.ts'
import { startServer } from '../server-process.ts'
import { type Acknowledged, everyLane, missingOf, runLanes } from './acknowledged.ts'

cpuBudget(10, 'A server under all kinds of writes, and its data replayed to the moment of the cut.')

/** So many power cuts in each of the tests. */
const rounds = Number(process.env.GITSTEAD_TEST_POWER_CUTS ?? 1)

const trial = await mkdtemp(join(tmpdir(), 'gitstead-power-'))
const reason = engine === 'postgres' ? 'one engine is enough' : await whyNoPowerCut(trial)
if (reason !== null) console.warn(`No power is cut: ${reason}`)

/** Whose flushes the log of the file system would carry the rest to disk. Without them each thing stands for itself. */
const places = { 'on the same disk': true, 'on another machine': false }

for (const [place, isSameDisk] of Object.entries(places))
  test.skipIf(reason !== null)(
    `nothing that was acknowledged is lost by a power cut, with the database ${place}`,
    {
      ...(isSameDisk && inFullRun('8 s of processor. Where the database is elsewhere each thing stands for itself, which asks for more.')),
      timeout: 120_000 + rounds * 60_000,
    },
    async () => {
      const folder = await (await testForge()).folder()
      const disk = await openDisk(join(folder, 'power'), 512)
      const home = join(disk.folder, 'data')
      if (!isSameDisk) {
        await mkdir(home)
        await writeFile(join(folder, 'database'), '')
        await symlink(join(folder, 'database'), join(home, 'gitstead.sqlite'))
      }
      let server = await startServer({ home })
      const lanes = await everyLane(server, folder)
      const acknowledged: Acknowledged[] = []
      for (let round = 0; round < rounds; round += 1) {
        const end = async () => {
          await disk.cut()
          await server.kill()
          killGitBelow(home)
        }
        const fresh = await runLanes(server, lanes, 1, end)
        await disk.repower()
        server = await startServer({ home })
        expect(await missingOf(server, fresh)).toEqual([])
        acknowledged.push(...fresh)
      }
      expect(await missingOf(server, acknowledged)).toEqual([])
      expect(acknowledged.length).toBeGreaterThanOrEqual(rounds * lanes.length)
      console.log(`${rounds} power cuts: ${acknowledged.length} acknowledged, none lost`)
      for (const lane of lanes) expect(await lane(server)).not.toBeNull()
      expect(await server.stop()).toBe(0)
    },
  )
