/** Settings of the bucket for large files. */
import { readUrl, refuse, type Setting, secret } from '../config.values.ts'
import { StartRefused } from '../failure.ts'

/** A bucket of an S3-compatible service. */
export interface S3Config {
  bucket: string
  region: string
  /** Null for AWS itself. */
  endpoint: string | null
  /** Null for the default AWS credentials (environment, instance role). */
  credentials: { accessKeyId: string; secretAccessKey: string } | null
  /** Whether LFS clients download from the bucket, by presigned URLs. */
  direct_downloads: boolean
}

export const s3Settings = {
  GITSTEAD_S3_BUCKET: {
    fallback: '',
    meaning: 'S3 bucket for large files; the data folder if empty',
    read: (value: string): string | null => (!value ? null : /^[\w.-]{3,255}$/.test(value) ? value : refuse('the name of a bucket')),
  },
  GITSTEAD_S3_ENDPOINT: {
    fallback: '',
    meaning: 'URL of the S3 service; AWS if empty',
    read: readUrl,
  },
  GITSTEAD_S3_REGION: {
    fallback: 'us-east-1',
    meaning: 'region of the bucket',
    read: (value: string) => (/^[\w-]+$/.test(value) ? value : refuse('the name of a region')),
  },
  GITSTEAD_S3_ACCESS_KEY_ID: {
    fallback: '',
    meaning: 'access key for the bucket; the default AWS credentials if empty',
    read: (value: string) => secret(value, 1),
  },
  GITSTEAD_S3_SECRET_ACCESS_KEY: {
    fallback: '',
    meaning: 'secret of the access key',
    read: (value: string) => secret(value, 1),
  },
  GITSTEAD_S3_DIRECT_DOWNLOADS: {
    fallback: 'false',
    meaning: 'true: LFS clients download directly from the bucket',
    read: (value: string) => (/^(true|false)$/.test(value) ? value === 'true' : refuse('true or false')),
  },
} satisfies Record<string, Setting<unknown>>

type Get = <N extends keyof typeof s3Settings>(name: N) => ReturnType<(typeof s3Settings)[N]['read']>

/** Null if large files are in the data folder. Throws StartRefused for half a key. */
export function readS3(get: Get): S3Config | null {
  const bucket = get('GITSTEAD_S3_BUCKET')
  const endpoint = get('GITSTEAD_S3_ENDPOINT')
  const region = get('GITSTEAD_S3_REGION')
  const accessKeyId = get('GITSTEAD_S3_ACCESS_KEY_ID')
  const secretAccessKey = get('GITSTEAD_S3_SECRET_ACCESS_KEY')
  const direct_downloads = get('GITSTEAD_S3_DIRECT_DOWNLOADS')
  if ((accessKeyId === null) !== (secretAccessKey === null)) {
    throw new StartRefused('GITSTEAD_S3_ACCESS_KEY_ID and GITSTEAD_S3_SECRET_ACCESS_KEY must be set together')
  }
  const credentials = accessKeyId && secretAccessKey ? { accessKeyId, secretAccessKey } : null
  return bucket === null ? null : { bucket, region, endpoint, credentials, direct_downloads }
}
