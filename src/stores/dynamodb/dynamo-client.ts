/** A value of an item: a string or a number, which DynamoDB sends as text. */
export type DynamoValue = { readonly S: string } | { readonly N: string }

/** An item as DynamoDB returns it. */
export type DynamoItem = Readonly<Record<string, { readonly S?: string; readonly N?: string }>>

export interface DynamoRead {
  TableName: string
  Key: Record<string, DynamoValue>
  ConsistentRead: boolean
}

export interface DynamoUpdate {
  TableName: string
  Key: Record<string, DynamoValue>
  UpdateExpression: string
  ConditionExpression: string
  ExpressionAttributeValues: Record<string, DynamoValue>
  ReturnValues: 'ALL_NEW'
}

/** The part of a client that the store uses. The class `DynamoDB` of `@aws-sdk/client-dynamodb` has it. */
export interface DynamoClient {
  getItem(input: DynamoRead): Promise<{ readonly Item?: DynamoItem | undefined }>
  updateItem(input: DynamoUpdate): Promise<{ readonly Attributes?: DynamoItem | undefined }>
}
