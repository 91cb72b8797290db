/** Signatures made by openssl: `printf '%s' "$t.$body" | openssl dgst -sha256 -hmac "$secret"`. */
export const vectors = [
  [
    '{"id":"evt_123","type":"transfer.settled"}',
    'a2a06a28d8d674d752c96b698c8d44de83cfa2353cea7f336f62d729b94d3191',
  ],
  ['', '316b9ab98c15bfa039d243f3196acee619cf29749a91a634e6a8154e2f7b6727'],
  ['{"note":"Zoë, 東京, 🙂"}', 'c8d9ab9909bd7e0bdda71536cb5799ff5fc4df5be294f31ba337d00ac26d93c1'],
]

export const camel = JSON.stringify({
  id: 'evt_01HZX4',
  type: 'transfer.settled',
  createdAt: '2026-01-02T03:04:05Z',
  environment: 'sandbox',
  data: { transferId: 'tr_1', status: 'settled', rail: 'mobile_money', ledgerState: 'matched' },
})
export const snake = JSON.stringify({
  id: '7f3c',
  type: 'transfer.settled',
  created_at: '2026-01-02T03:04:05Z',
  product: 'stablecoins',
  data: {
    transfer_id: 'tr_2',
    status: 'settled',
    rail: 'bank',
    ledger_state: 'matched',
    metadata: { customer_ref: 'é' },
  },
})
