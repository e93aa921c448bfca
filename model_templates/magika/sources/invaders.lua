local Invader = {}
Invader.__index = Invader

local WIDTH, HEIGHT = 320, 240

function Invader.new(x, y, kind)
  local self = setmetatable({}, Invader)
  self.x, self.y = x, y
  self.kind = kind or "crab"
  self.alive = true
  return self
end

function Invader:move(dx, dy)
  self.x = self.x + dx
  self.y = self.y + dy
  return self.x > 0 and self.x < WIDTH and self.y < HEIGHT
end

local function wave(rows, columns)
  local list = {}
  for row = 1, rows do
    for column = 1, columns do
      list[#list + 1] = Invader.new(column * 24, row * 18, row == 1 and "squid" or "crab")
    end
  end
  return list
end

function love.load()
  enemies = wave(4, 10)
  direction = 1
end

function love.update(dt)
  local turned = false
  for _, enemy in ipairs(enemies) do
    if enemy.alive and not enemy:move(40 * dt * direction, 0) then
      turned = true
    end
  end
  if turned then
    direction = -direction
    for _, enemy in pairs(enemies) do enemy:move(0, 8) end
  end
end
