-- Takes tokens from every bucket of KEYS, or from none: takeFromAll of token-bucket.ts, step by step.
-- ARGV: the time in microseconds, or '' for this server's clock, which all API processes share; then for each bucket
-- the microseconds of its tokens and of its whole span.
-- Returns 1 or 0 (taken or rejected), then for each bucket the microseconds until it is full.
local now = tonumber(ARGV[1])
if not now then
  local time = redis.call('TIME')
  now = tonumber(time[1]) * 1000000 + tonumber(time[2])
end

-- Of a key that holds no time (another type, nan, text) the past, a full bucket: the next take replaces it.
local function read_full_at(key)
  local value = redis.pcall('GET', key)
  local number = type(value) == 'string' and tonumber(value)
  return number == number and number or 0
end

local allowed = 1
local stored, full_at = {}, {}
for i, key in ipairs(KEYS) do
  local cost, span = tonumber(ARGV[2 * i]), tonumber(ARGV[2 * i + 1])
  stored[i] = read_full_at(key)
  full_at[i] = math.min(math.max(stored[i], now), now + span)
  if full_at[i] + cost > now + span then allowed = 0 end
end

local reply = { allowed }
for i, key in ipairs(KEYS) do
  if allowed == 1 then full_at[i] = full_at[i] + tonumber(ARGV[2 * i]) end
  -- After the clock went back a rejected take is stored too: the bucket would stay empty until the old time otherwise.
  if allowed == 1 or full_at[i] < stored[i] then
    -- A full bucket is no bucket: the key goes when it has refilled.
    redis.call('SET', key, string.format('%.0f', full_at[i]))
    redis.call('PEXPIREAT', key, string.format('%.0f', math.ceil(full_at[i] / 1000)))
  end
  reply[i + 1] = full_at[i] - now
end
return reply
