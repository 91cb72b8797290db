import { nextHandler } from 'webhook-inbox/next'
import { mounted } from '../../../../mounted.js'

export const POST = async (request, { params }) => nextHandler(mounted((await params).receiver))(request)
export { POST as DELETE, POST as GET, POST as HEAD, POST as OPTIONS, POST as PATCH, POST as PUT }
