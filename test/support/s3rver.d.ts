/** The part of s3rver that the tests use; the package brings no types. */
declare module 's3rver' {
  import type { RequestListener } from 'node:http'

  interface Options {
    directory: string
    silent: boolean
    /** Otherwise the first label of a host name would be taken for a bucket. */
    vhostBuckets: boolean
    configureBuckets: Array<{ name: string }>
  }
  export default class S3rver {
    constructor(options: Options)
    configureBuckets(): Promise<unknown>
    callback(): RequestListener
  }
}
