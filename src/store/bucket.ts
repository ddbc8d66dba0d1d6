/** Object store in a bucket of an S3-compatible service. */
import type { Readable } from 'node:stream'
import type { S3Client } from '@aws-sdk/client-s3'
import { Failure, storageFull } from '../failure.ts'
import { withChecksum } from './checksum.ts'
import { noSuchObject, requireKey } from './keys.ts'
import type { ObjectStore, Part } from './object-store.ts'
import { openTempFile } from './temp-file.ts'

export interface BucketOptions {
  bucket: string
  region: string
  endpoint: string | null
  credentials: { accessKeyId: string; secretAccessKey: string } | null
  direct_downloads: boolean
}

/** Timeouts: to connect to the service, and without any progress. */
const connection_ms = 5_000
const idle_ms = 60_000

/** Attempts per request; the library backs off between them. */
const tries = 4

/** A large object is sent in parts, each retried by itself, with this many in parallel. */
const minPart_bytes = 8 * 1024 * 1024
const partsAtOnce = 2
/** Below the limit of the protocol, 10,000. */
const maxParts = 9_000

/** The libraries are loaded only if there is a bucket: they take as much memory as everything else. */
async function load() {
  const [s3, { Upload }, { getSignedUrl }] = await Promise.all([
    import('@aws-sdk/client-s3'),
    import('@aws-sdk/lib-storage'),
    import('@aws-sdk/s3-request-presigner'),
  ])
  return { ...s3, Upload, getSignedUrl }
}

type Library = Awaited<ReturnType<typeof load>>

interface Bucket {
  s3: Library
  client: S3Client
  name: string
}

/** @param home the data folder, for what is sent once it is whole */
export async function openBucket(options: BucketOptions, home: string): Promise<ObjectStore> {
  const { bucket: name, region, endpoint, credentials, direct_downloads } = options
  const s3 = await load()
  const client = new s3.S3Client({
    region,
    ...(endpoint && { endpoint, forcePathStyle: true }),
    ...(credentials && { credentials }),
    maxAttempts: tries,
    requestHandler: { connectionTimeout: connection_ms, socketTimeout: idle_ms },
    // Services other than AWS don't support its newer checksums.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  })
  const bucket = { s3, client, name }
  return {
    put: (key, source, size) => put(bucket, requireKey(key), source, size),
    openDraft: () => openTempFile(home),
    putDraft: (key, draft, beforeEnd) => put(bucket, requireKey(key), withChecksum(draft.open(), draft.sum(), beforeEnd), draft.size),
    // Its drafts have no name.
    removeForgotten: async () => {},
    open: (key, part) => withOwnErrors(openObject(bucket, requireKey(key), part)),
    remove: (key) => withOwnErrors(remove(bucket, requireKey(key))),
    async address(key, expires_s) {
      const command = new s3.GetObjectCommand({ Bucket: name, Key: requireKey(key) })
      return direct_downloads ? withOwnErrors(s3.getSignedUrl(client, command, { expiresIn: expires_s })) : null
    },
    close: () => client.destroy(),
  }
}

async function put({ s3, client, name }: Bucket, key: string, source: Readable, size: number): Promise<void> {
  let cause: unknown
  source.once('error', (error) => {
    cause = error
  })
  const partSize = Math.max(minPart_bytes, Math.ceil(size / maxParts))
  const params = { Bucket: name, Key: key, Body: source }
  try {
    await withOwnErrors(new s3.Upload({ client, params, partSize, queueSize: partsAtOnce }).done())
  } catch (error) {
    // If the source failed, that is the cause, whatever the service answers to the aborted parts.
    throw cause ?? error
  } finally {
    source.destroy()
  }
}

async function openObject({ s3, client, name }: Bucket, key: string, part: Part | undefined): Promise<Readable> {
  const Range = part && `bytes=${part.start}-${part.end}`
  const { Body } = await client.send(new s3.GetObjectCommand({ Bucket: name, Key: key, Range }))
  return Body as Readable
}

async function remove(bucket: Bucket, key: string): Promise<void> {
  const { s3, client, name } = bucket
  // Done first, so that an upload that completes in between is removed, too.
  await dropUploads(bucket, key)
  await client.send(new s3.DeleteObjectCommand({ Bucket: name, Key: key }))
}

/** Lists uploads by the whole key: some services list no prefixes. Others list none at all, and clean up by themselves. */
async function dropUploads({ s3, client, name }: Bucket, key: string): Promise<void> {
  const { Uploads = [] } = await client
    .send(new s3.ListMultipartUploadsCommand({ Bucket: name, Prefix: key }))
    .catch((error) => (isNamed(error, 'NotImplemented') ? { Uploads: [] } : Promise.reject(error)))
  for (const { Key, UploadId } of Uploads) {
    if (Key !== key) continue
    await client.send(new s3.AbortMultipartUploadCommand({ Bucket: name, Key, UploadId })).catch((error) => {
      if (!isNamed(error, 'NoSuchUpload')) throw error
    })
  }
}

/**
 * Converts errors of the library to our own: the originals contain the request with its signatures, so only the name and message may be
 * logged.
 */
async function withOwnErrors<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (error instanceof Failure) throw error
    const { name, message, $metadata } = error as Error & { $metadata?: { httpStatusCode?: number } }
    const safe = new Error(`the bucket: ${[name, $metadata?.httpStatusCode, message].filter(Boolean).join(', ')}`)
    if (isNamed(error, 'NoSuchKey')) throw noSuchObject(safe)
    if (isNamed(error, 'QuotaExceeded', 'XMinioStorageFull', 'XMinioAdminBucketQuotaExceeded')) throw storageFull(safe)
    throw safe
  }
}

function isNamed(error: unknown, ...names: string[]): boolean {
  return names.includes((error as Error).name)
}
