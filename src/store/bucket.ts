/** Objects in a bucket of a service that speaks the S3 protocol. */
import type { Readable } from 'node:stream'
import type { BucketOptions, ObjectStore } from './store.ts'

/** Its libraries are loaded only where there is a bucket: they take as much memory as all the rest. */
export async function openBucket({ bucket, region, endpoint, credentials, direct_downloads }: BucketOptions): Promise<ObjectStore> {
  const { S3Client, GetObjectCommand, DeleteObjectCommand } = await import('@aws-sdk/client-s3')
  const { Upload } = await import('@aws-sdk/lib-storage')
  const { getSignedUrl } = await import('@aws-sdk/s3-request-presigner')
  const client = new S3Client({
    region,
    ...(endpoint && { endpoint, forcePathStyle: true }),
    ...(credentials && { credentials }),
    // Services other than AWS don't know its newer checksums.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  })
  return {
    async put(key, source, size) {
      const partSize = Math.max(leastPart_bytes, Math.ceil(size / mostParts))
      await new Upload({ client, params: { Bucket: bucket, Key: key, Body: source }, partSize, queueSize: 2 }).done()
    },
    async open(key, part) {
      const Range = part && `bytes=${part.start}-${part.end}`
      const { Body } = await client.send(new GetObjectCommand({ Bucket: bucket, Key: key, Range }))
      return Body as Readable
    },
    async remove(key) {
      await client.send(new DeleteObjectCommand({ Bucket: bucket, Key: key }))
    },
    async address(key, expires_s) {
      if (!direct_downloads) return null
      return getSignedUrl(client, new GetObjectCommand({ Bucket: bucket, Key: key }), { expiresIn: expires_s })
    },
    async sweep() {},
    close: () => client.destroy(),
  }
}

const leastPart_bytes = 8 * 1024 * 1024
/** A few less than the protocol allows. */
const mostParts = 9_000
