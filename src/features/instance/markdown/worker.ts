/** The program of the thread in which Markdown is rendered: a text comes in, its HTML goes out. */
import { parentPort } from 'node:worker_threads'
import { type Flavour, render } from './render.ts'

parentPort?.on('message', ({ text, flavour }: { text: string; flavour: Flavour }) => parentPort?.postMessage(render(text, flavour)))
