import { defineEventHandler, toWebRequest } from 'h3'
import { fetchHandler } from 'webhook-inbox/fetch'
import { receiver } from '../utils/receiver.js'

const receive = fetchHandler(receiver)

export default defineEventHandler((event) => receive(toWebRequest(event)))
