/** An S3 service for tests: s3rver, with the listing of unfinished uploads that it lacks in front. */
import { once } from 'node:events'
import { mkdir, readdir, readFile, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import S3rver from 's3rver'
import type { BucketOptions } from '../../src/store/bucket.ts'

export interface TestBucket {
  /** As in the configuration. */
  options: BucketOptions
  /** The keys of its objects. */
  keys: () => Promise<string[]>
  /** The keys of uploads that are neither complete nor aborted. */
  uploads: () => Promise<string[]>
  /** Answers a request itself if it returns true. Null ends the fault. */
  fault: ((request: IncomingMessage, response: ServerResponse) => boolean) | null
  close: () => Promise<void>
}

const name = 'gitstead-test'

export async function testBucket(directory: string): Promise<TestBucket> {
  await mkdir(directory, { recursive: true })
  const service = new S3rver({ directory, silent: true, vhostBuckets: false, configureBuckets: [{ name }] })
  await service.configureBuckets()
  const answer = service.callback()
  const unfinished = join(directory, name, '._S3rver_uploads')
  const server = createServer((request, response) => {
    if (bucket.fault?.(request, response)) return
    void answerUploads(unfinished, request, response).then((answered) => answered || answer(request, response))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const bucket: TestBucket = {
    options: {
      bucket: name,
      region: 'us-east-1',
      endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      credentials: { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' },
      direct_downloads: true,
    },
    async keys() {
      const found = await readdir(join(directory, name), { recursive: true })
      return found.filter((path) => path.endsWith('._S3rver_object')).map((path) => path.replace('._S3rver_object', ''))
    },
    uploads: async () => (await uploadsIn(unfinished)).map(({ key }) => key),
    fault: null,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
  return bucket
}

/** Lists the uploads under a prefix, or aborts one. */
async function answerUploads(folder: string, { method, url = '' }: IncomingMessage, response: ServerResponse): Promise<boolean> {
  const { searchParams: query } = new URL(url, 'http://bucket')
  const id = query.get('uploadId')
  if (method === 'DELETE' && id !== null) {
    const found = await rm(join(folder, id), { recursive: true }).then(
      () => true,
      () => false,
    )
    response.writeHead(found ? 204 : 404, { 'content-type': 'application/xml' })
    response.end(found ? '' : '<?xml version="1.0" encoding="UTF-8"?><Error><Code>NoSuchUpload</Code><Message>Gone.</Message></Error>')
    return true
  }
  if (method !== 'GET' || !query.has('uploads')) return false
  const found = (await uploadsIn(folder)).filter(({ key }) => key.startsWith(query.get('prefix') ?? ''))
  const uploads = found.map(({ key, id }) => `<Upload><Key>${key}</Key><UploadId>${id}</UploadId></Upload>`)
  response.writeHead(200, { 'content-type': 'application/xml' })
  response.end(`<?xml version="1.0" encoding="UTF-8"?><ListMultipartUploadsResult>${uploads.join('')}</ListMultipartUploadsResult>`)
  return true
}

async function uploadsIn(folder: string): Promise<Array<{ key: string; id: string }>> {
  const ids = await readdir(folder).catch(() => [])
  const keys = await Promise.all(ids.map((id) => readFile(join(folder, id, 'key'), 'utf8').catch(() => '')))
  // One without a key has just been removed, or is being created.
  return ids.map((id, index) => ({ id, key: keys[index] as string })).filter(({ key }) => key !== '')
}
