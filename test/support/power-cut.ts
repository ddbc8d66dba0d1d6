/** A disk with power failures: a file system in a file, mounted by a loop device, and shut down without writing its log. */
import { execFile } from 'node:child_process'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { atEndOfFile } from './run/cleanup.ts'

const run = promisify(execFile)

export interface Disk {
  /** The mount point. */
  folder: string
  /** From now on no write reaches the disk, and what had not been flushed is lost. Its users must end before `repower`. */
  cut: () => Promise<void>
  /** Mounts it again, as after a restart of the machine. */
  repower: () => Promise<void>
}

/** EXT4_IOC_SHUTDOWN with EXT4_GOING_FLAGS_NOLOGFLUSH. */
const cutter = `
import fcntl, os, struct, sys
fcntl.ioctl(os.open(sys.argv[1], os.O_RDONLY), 0x8004587d, struct.pack('I', 2))
`

/** The log isn't written periodically either: whatever nobody flushes is certainly lost, however long a round takes. */
const options = 'loop,commit=3600'

/** @param folder for the file of the disk and its mount point */
export async function openDisk(folder: string, size_mb: number): Promise<Disk> {
  const [image, mount] = [join(folder, 'disk'), join(folder, 'mount')]
  await mkdir(mount, { recursive: true })
  await writeFile(image, '')
  await run('truncate', ['-s', `${size_mb}M`, image])
  await run('mkfs.ext4', ['-q', '-F', image])
  await run('mount', ['-o', options, image, mount])
  atEndOfFile(async () => {
    await unmount(mount).catch(() => run('umount', ['--lazy', mount]).catch(() => {}))
    await rm(folder, { recursive: true, force: true })
  })
  return {
    folder: mount,
    cut: async () => void (await run('python3', ['-c', cutter, mount])),
    async repower() {
      await unmount(mount)
      await run('mount', ['-o', options, image, mount])
    },
  }
}

/** Killed processes may take a moment to close their files. */
async function unmount(mount: string): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await run('umount', [mount])
      return
    } catch (error) {
      if (tries === 100) throw error
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
}

/** Why this is impossible here; null if it is possible: it requires root, loop devices, ext4 and python3. */
export async function whyNoPowerCut(folder: string): Promise<string | null> {
  try {
    const disk = await openDisk(join(folder, 'trial'), 16)
    await writeFile(join(disk.folder, 'flushed'), 'x', { flush: true })
    await writeFile(join(disk.folder, 'lost'), 'x')
    await disk.cut()
    await disk.repower()
    const { stdout } = await run('ls', ['-s', disk.folder])
    return stdout.includes('flushed') && !stdout.includes('lost\n') ? null : `the disk kept ${stdout}`
  } catch (error) {
    return String((error as { stderr?: string }).stderr || error)
  }
}
