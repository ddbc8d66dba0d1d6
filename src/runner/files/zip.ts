/** Archives of selected files, created while they are sent. */
import { createReadStream } from 'node:fs'
import { readlink } from 'node:fs/promises'
import { join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { createGzip } from 'node:zlib'
import { ZipFile } from 'yazl'
import type { SelectedFile } from './selection.ts'

const link = 0o120777

/** A zip file of files, folders and symbolic links, with their modes. */
export function zipOf(root: string, files: SelectedFile[]): Readable {
  const zip = new ZipFile()
  // A separate stream, so that errors of the archive reach the reader.
  const output = new PassThrough()
  zip.on('error', (error) => output.destroy(error as Error))
  zip.outputStream.pipe(output)
  void addAll(zip, root, files).then(
    () => zip.end(),
    (error: Error) => output.destroy(error),
  )
  return output
}

async function addAll(zip: ZipFile, root: string, files: SelectedFile[]): Promise<void> {
  for (const { path, stats } of files) {
    const options = { mtime: stats.mtime, mode: stats.mode }
    if (stats.isDirectory()) zip.addEmptyDirectory(path, options)
    else if (stats.isSymbolicLink()) zip.addBuffer(Buffer.from(await readlink(join(root, path))), path, { ...options, mode: link })
    else zip.addFile(join(root, path), path, options)
  }
}

/** The files concatenated, each compressed separately: gzip readers treat them as one. */
export function gzipOf(root: string, files: SelectedFile[]): Readable {
  return Readable.from(gzipped(root, files), { objectMode: false })
}

async function* gzipped(root: string, files: SelectedFile[]): AsyncGenerator<Buffer> {
  for (const { path, stats } of files) {
    if (stats.isFile()) yield* createReadStream(join(root, path)).pipe(createGzip()) as AsyncIterable<Buffer>
  }
}
