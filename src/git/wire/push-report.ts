/**
 * The report that the client of a push gets at the end. Git reports "unpacker error" for a full disk, and success once refs have moved even
 * if the server failed afterwards. Such reports, in packets of the first side band or without bands, are replaced by one with the real
 * reason.
 */

import { type Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { type Failure, plainWords, storageFull } from '../../failure.ts'
import { unwritten } from '../process/git-failure.ts'
import type { GitChild } from '../process/run.ts'
import { isFull } from '../process/space.ts'
import type { Repo } from '../repository/repository.ts'
import { advertisedRefs } from './hidden-refs.ts'

export interface Outcome {
  /** Why the push failed, though git may have moved its refs. */
  failure: Failure | null
  /** Why it was rejected before any ref moved; clients with side bands have already received this text. */
  refusal: string | null
}

interface Reporting {
  repo: Repo
  outcome: Outcome
  /** Whether refs come first, up to a flush packet. */
  isConversation: boolean
}

/** Wraps the process and replaces its report if necessary. It counts as finished when its output was read. */
export function withReport(child: GitChild, reporting: Reporting): GitChild {
  const stdout = reporter(reporting)
  stdout.on('error', () => {})
  const read = new Promise<void>((resolve) => {
    stdout.once('end', resolve)
    stdout.once('close', resolve)
  })
  pipeline(child.stdout, stdout).catch(() => {})
  const finished = child.finished.then(async (end) => {
    await read
    return end
  })
  finished.catch(() => {})
  return { ...child, stdout, finished }
}

const [reportBand, wordsBand, errorBand] = [1, 2, 3]
/** Maximum size of a packet for clients that don't announce larger ones. */
const max_bytes = 990

function reporter({ repo, outcome, isConversation }: Reporting): Transform & Readable {
  let isAdvertising = isConversation
  const advertised = advertisedRefs()
  let hasBands = true
  /** Whether the client has no side bands, and so gets only the report. */
  let isBare = false
  let isUnwritten = false
  let rest = Buffer.alloc(0)
  const report: Buffer[] = []

  /** The packets to send to the client in place of this one. */
  async function passed(packet: Buffer): Promise<Buffer[]> {
    const isFlush = packet.length === 4
    if (isAdvertising) {
      isAdvertising = !isFlush
      return advertised(packet)
    }
    if (isFlush && isBare) return [await rewritten(Buffer.concat([...report.splice(0), packet]))]
    if (isFlush) return [...inBand(await rewritten(Buffer.concat(report.splice(0)))), packet]
    isBare ||= packet.toString('latin1', 4, 11) === 'unpack '
    if (isBare) {
      report.push(packet)
      return []
    }
    const band = packet[4] ?? 0
    if (band === reportBand) {
      report.push(packet.subarray(5))
      return []
    }
    if (/No space left on device|Disk quota exceeded/.test(packet.toString('latin1'))) isUnwritten = true
    hasBands = band === wordsBand || band === errorBand
    return [packet]
  }
  async function take(this: Transform): Promise<void> {
    for (let packet = nextPacket(rest); packet !== null && hasBands; packet = nextPacket(rest)) {
      rest = rest.subarray(packet.length)
      for (const part of await passed(packet)) this.push(part)
    }
    if (!hasBands && rest.length > 0) this.push(rest)
    if (!hasBands) rest = Buffer.alloc(0)
  }
  async function rewritten(text: Buffer): Promise<Buffer> {
    const lines = linesOf(text)
    const refs = lines.flatMap((line) => /^(?:ok|ng) ([^ \n]+)/.exec(line)?.[1] ?? [])
    if (outcome.failure)
      return asReport(['unpack ok\n', ...refs.map((ref) => `ng ${ref} ${bytesOf(plainWords(outcome.failure as Failure))}\n`)])
    const { refusal } = outcome
    if (isBare && refusal)
      return asReport(lines.map((line) => line.replace(/^(ng .+) pre-receive hook declined\n/, (_, ng) => `${ng} ${bytesOf(refusal)}\n`)))
    if (!lines.some((line) => /^(?:unpack|ng) /.test(line) && unwritten.test(line))) return text
    if (!isUnwritten && !(await isFull(repo.dir))) return text
    const words = bytesOf(plainWords(storageFull(null)))
    return asReport(lines.map((line) => (unwritten.test(line) ? line.replace(/^(unpack|ng [^ ]+) .*\n/, `$1 ${words}\n`) : line)))
  }
  return new Transform({
    transform(chunk: Buffer, _, done) {
      rest = Buffer.concat([rest, chunk])
      take.call(this).then(() => done(), done)
    },
    flush(done) {
      for (const part of [...(isBare ? report : inBand(Buffer.concat(report))), rest]) this.push(part)
      done()
    },
  })
}

/** The first packet; null if it is incomplete. Bytes that are not a packet are returned unchanged. */
function nextPacket(bytes: Buffer): Buffer | null {
  if (bytes.length < 4) return null
  const length = Number.parseInt(bytes.toString('latin1', 0, 4), 16)
  if (Number.isNaN(length)) return bytes
  const whole = Math.max(length, 4)
  return bytes.length < whole ? null : bytes.subarray(0, whole)
}

/** Lines with their terminators; text without one is not a line. Each character is one byte: names of refs need not be UTF-8. */
function linesOf(report: Buffer): string[] {
  const lines: string[] = []
  let rest = report
  for (let packet = nextPacket(rest); packet !== null && packet.length > 4; packet = nextPacket(rest)) {
    lines.push(packet.toString('latin1', 4))
    rest = rest.subarray(packet.length)
  }
  return lines
}

function asReport(lines: string[]): Buffer {
  return Buffer.concat([...lines.map((line) => withLength(Buffer.from(line, 'latin1'))), Buffer.from('0000')])
}

/** Encodes as UTF-8, with one character per byte. */
const bytesOf = (words: string) => Buffer.from(words).toString('latin1')

function inBand(payload: Buffer): Buffer[] {
  const packets: Buffer[] = []
  for (let at = 0; at < payload.length; at += max_bytes) {
    packets.push(withLength(Buffer.concat([Buffer.from([reportBand]), payload.subarray(at, at + max_bytes)])))
  }
  return packets
}

function withLength(payload: Buffer): Buffer {
  return Buffer.concat([Buffer.from((payload.length + 4).toString(16).padStart(4, '0')), payload])
}
