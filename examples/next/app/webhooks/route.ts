import { nextHandler } from 'webhook-inbox/next'
import { receiver } from '../../receiver.ts'

export const POST = nextHandler(receiver)
