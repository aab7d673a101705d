# kind:     shallow copy: nested dict is shared with the default
# symptom:  one user's override changes the default for the next
# expected: [410, 110, 150]
# actual:   [410, 410, 450]
# buggy lines: 11
# buggy function: with_overrides

DEFAULTS = {"theme": "light", "limits": {"cpu": 1, "disk": 10}}

def with_overrides(base, overrides):
    config = base.copy()
    for path, value in overrides:
        target = config
        *parents, leaf = path.split(".")
        for p in parents:
            target = target[p]
        target[leaf] = value
    return config

def quota(config):
    return config["limits"]["cpu"] * 100 + config["limits"]["disk"]

def quotas(requests):
    return [quota(with_overrides(DEFAULTS, r)) for r in requests]

if __name__ == "__main__":
    print(quotas([[("limits.cpu", 4)], [("theme", "dark")], [("limits.disk", 50)]]))
